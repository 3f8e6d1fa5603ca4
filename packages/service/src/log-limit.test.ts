import { expect, test } from 'vitest';
import { createManualTimer } from '../test/manual-timer.ts';
import { createLogLimit, type Suppressed, summaryText } from './log-limit.ts';

function setUp(options: { perKey?: number; total?: number } = {}) {
  const timer = createManualTimer();
  const lines: { atMs: number; key: string }[] = [];
  const summaries: Suppressed[] = [];
  const write = (key: string) => lines.push({ atMs: timer.clock.monotonicMs(), key });
  const limit = createLogLimit({
    ...options,
    timer,
    clock: timer.clock,
    summarise(suppressed) {
      summaries.push(suppressed);
      write('summary');
    },
  });
  return { timer, lines, summaries, flush: limit.flush, log: (key: string) => limit.log(key, () => write(key)) };
}

test('lines within their share pass, and nothing is summarised', async () => {
  const { log, lines, timer } = setUp({ perKey: 2 });
  log('a');
  log('a');
  log('b');
  await timer.advance(5000);
  expect(lines.map((line) => line.key)).toEqual(['a', 'a', 'b']);
});

test('a flood of one key is counted, and the count told within a second', async () => {
  const { log, summaries, timer } = setUp({ perKey: 2 });
  for (let i = 0; i < 1236; i++) log('a');
  await timer.advance(1000);
  expect(summaries).toEqual([{ count: 1234, byKey: { a: 1234 } }]);
  expect(summaries.map(summaryText)).toEqual(['and 1,234 more like this']);
});

test('no second, wherever it begins, has more than the total of lines, summaries included', async () => {
  const { log, lines, timer } = setUp({ perKey: 3, total: 10 });
  for (let ms = 0; ms < 5000; ms += 25) {
    for (const key of ['a', 'b', 'c', 'd', 'e']) log(key);
    await timer.advance(25);
  }
  for (const first of lines) {
    const second = lines.filter(({ atMs }) => atMs >= first.atMs && atMs < first.atMs + 1000);
    expect(second.length).toBeLessThanOrEqual(10);
  }
  expect(lines.length).toBeGreaterThan(40);
});

test('keys without end take bounded memory and share one key', async () => {
  const { log, summaries, timer } = setUp({ perKey: 1, total: 3 });
  for (let i = 0; i < 10_000; i++) log(`key ${i}`);
  await timer.advance(1000);
  expect(summaries[0]?.count).toBe(9998);
  expect(summaries[0]?.byKey.other).toBe(9800);
});

test('flush tells at once what was held back, once', async () => {
  const { log, summaries, flush, timer } = setUp({ perKey: 1 });
  log('a');
  log('a');
  flush();
  await timer.advance(5000);
  expect(summaries).toEqual([{ count: 1, byKey: { a: 1 } }]);
});
