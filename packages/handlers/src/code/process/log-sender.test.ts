import { expect, test } from 'vitest';
import { LogSender } from './log-sender.ts';

/** A channel that takes nothing until it is told to. */
function slowChannel() {
  const sent: string[] = [];
  let confirm: (() => void)[] = [];
  const sender = new LogSender((text, done) => {
    sent.push(text);
    confirm.push(done);
  });
  return {
    sender,
    sent,
    takeAll() {
      while (confirm.length > 0) {
        const now = confirm;
        confirm = [];
        for (const done of now) done();
      }
    },
  };
}

test('the first lines go at once, line by line', () => {
  const { sender, sent } = slowChannel();
  sender.write('a\n');
  sender.write('b\n');
  expect(sent).toEqual(['a\n', 'b\n']);
});

test('while the channel is busy lines gather into large pieces, and keep their order', async () => {
  const { sender, sent, takeAll } = slowChannel();
  const lines = Array.from({ length: 20_000 }, (_, index) => `line ${index}\n`);
  for (const line of lines) sender.write(line);
  const atOnce = sent.length;
  const flushed = sender.flushed();
  takeAll();
  await flushed;
  expect(sent.join('')).toBe(lines.join(''));
  expect(sent.length - atOnce).toBeLessThan(20);
});

test('a surrogate pair is not parted', async () => {
  const { sender, sent, takeAll } = slowChannel();
  sender.write(`x${'😀'.repeat(40_000)}`);
  const flushed = sender.flushed();
  takeAll();
  await flushed;
  expect(sent.length).toBeGreaterThan(1);
  expect(sent.some((piece) => /[\ud800-\udbff]$/.test(piece))).toBe(false);
});

test('what must go now goes now', () => {
  const { sender, sent } = slowChannel();
  for (let line = 0; line < 10_000; line++) sender.write('0123456789\n');
  sender.sendAll();
  expect(sent.join('').length).toBe(110_000);
});
