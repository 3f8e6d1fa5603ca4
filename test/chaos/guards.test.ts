import { readFileSync } from 'node:fs';
import { rewrite } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { GUARDS } from './guards.ts';

const root = new URL('../../', import.meta.url);

// Whoever rewrites a guard says here how to take it away: a control that takes away nothing would prove nothing.
test.each(Object.values(GUARDS))('the guard "$name" is in the code, to be taken away', ({ patches }) => {
  for (const patch of patches) {
    const source = readFileSync(new URL(patch.module, root), 'utf8');
    expect(rewrite(`/${patch.module}`, source, { failpoints: [], patches: [patch] })).not.toBe(source);
  }
});
