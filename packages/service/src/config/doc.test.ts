import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { configurationDoc } from './doc.ts';

test('docs/reference/configuration.md is what `npm run docs:configuration` writes', () => {
  const written = readFileSync(new URL('../../../../docs/reference/configuration.md', import.meta.url), 'utf8');
  expect(written).toBe(configurationDoc());
});
