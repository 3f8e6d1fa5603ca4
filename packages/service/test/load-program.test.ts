import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { built } from '@escapement/testkit';
import { expect, test } from 'vitest';

test('the young generation of the heap grows with the work of a program, not while it is loaded', async () => {
  const program = built(new URL('./loaded-process.ts', import.meta.url));
  const child = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [told, complaints] = await Promise.all([text(child.stdout), text(child.stderr)]);
  expect(complaints).toBe('');
  const { loaded, worked } = JSON.parse(told);
  // It begins with one of its two halves.
  expect(loaded).toBeLessThanOrEqual(2);
  expect(worked).toBeGreaterThan(4);
});
