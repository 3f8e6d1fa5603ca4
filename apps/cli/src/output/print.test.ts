import { expect, test } from 'vitest';
import { createOutput } from './print.ts';

const EVIL = 'x\x1b]52;c;cm0gLXJmIH4=\x07\x9b2J';

function outputTo(isTTY: boolean) {
  const written = { stdout: '', stderr: '' };
  const stream = (name: keyof typeof written) => ({
    isTTY,
    write: (text: string) => {
      written[name] += text;
    },
  });
  return { output: createOutput({ stdout: stream('stdout'), stderr: stream('stderr') }), written };
}

/** Everything that a command can write. */
function writeAll(output: ReturnType<typeof createOutput>): void {
  output.text(EVIL);
  output.note(EVIL);
  output.result({ EVIL }, () => [EVIL]);
  output.table([], [EVIL], [{ title: 'T', value: (text) => text }]);
  output.format = 'json';
  output.result({ EVIL }, () => []);
}

test('a terminal gets nothing to act on, by whatever way', () => {
  const { output, written } = outputTo(true);
  writeAll(output);
  expect(written.stdout + written.stderr).not.toMatch(/(?![\n\t])\p{Cc}/u);
  expect(written.stdout).toContain('x\\x1b]52;c;cm0gLXJmIH4=\\x07\\x9b2J');
});

test('a pipe gets what was written, and so does a terminal that asked for it', () => {
  const piped = outputTo(false);
  piped.output.text(EVIL);
  const raw = outputTo(true);
  raw.output.raw(EVIL);
  expect([piped.written.stdout, raw.written.stdout]).toEqual([EVIL, EVIL]);
});
