import { expect, test } from 'vitest';
import { runLine } from './shell.ts';

const MIB = 1024 * 1024;

test('100 MB of output are capped, keep their end, and do not grow memory', async () => {
  const before = process.memoryUsage().rss;
  const line = 'head -c 100000000 /dev/zero | tr "\\0" "x"; echo; echo "the reason"; exit 1';
  const { outcome, logged } = await runLine(line, { maxOutputBytes: MIB });
  expect(outcome).toMatchObject({ status: 'failed', exitCode: 1 });
  expect(logged.length).toBeLessThan(1.1 * MIB);
  expect(logged).toMatch(/\n\[escapement: \d+ characters left out here; the cap is 1048576 bytes\]\n/);
  expect(logged.endsWith('the reason\n')).toBe(true);
  expect(process.memoryUsage().rss - before).toBeLessThan(64 * MIB);
});

test('characters stay whole and bytes that are no text are replaced', async () => {
  const { logged } = await runLine('printf "a\\000b\\377c\\303"; sleep 0.05; printf "\\244d"');
  expect(logged).toBe('a\ufffdb\ufffdc\u00e4d');
});
