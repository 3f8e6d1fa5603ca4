import { expect, test } from 'vitest';
import { LogLines } from './log-lines.ts';
import { type LineFilter, ShownLines } from './shown-lines.ts';

const LEVELS = ['INFO', 'WARN', 'ERROR', ''];

/** What the lines are without anything that is kept. */
const anew = (log: LogLines, by: LineFilter) => new ShownLines().of([...log.all], by).map(({ text }) => text);

test('lines are found by letters of any case, and by their level or a higher one', () => {
  const log = new LogLines();
  log.add(1, 'INFO Order 17\nWARN order 18\nERROR it broke\n  at order\n');
  expect(anew(log, { filter: 'ORDER', level: null })).toEqual(['INFO Order 17', 'WARN order 18', '  at order']);
  expect(anew(log, { filter: 'order', level: 'warn' })).toEqual(['WARN order 18', '  at order']);
});

test('what is kept from look to look is what a look at all lines finds, as the log grows and the filter changes', () => {
  const log = new LogLines();
  const shown = new ShownLines();
  const asked: LineFilter[] = ['', 'o', 'or', 'ord', 'or', 'x', ''].flatMap((filter) =>
    ([null, 'warn', 'error', null] as const).map((level) => ({ filter, level })),
  );
  for (const [look, by] of asked.entries()) {
    // Some pieces end in the middle of a line, which has another level when it is whole.
    log.add(1, `${LEVELS[look % 4]} Order ${look}\n${look % 3 === 0 ? 'ERR' : `or ${look}\n`}`);
    for (const each of [by, by]) expect(shown.of([...log.all], each).map(({ text }) => text)).toEqual(anew(log, by));
  }
  const same = [...log.all];
  expect(shown.of(same, { filter: 'Or', level: null })).toBe(shown.of(same, { filter: 'or', level: null }));
});

test('the log of another run shares nothing with the one before', () => {
  const shown = new ShownLines();
  for (const text of ['one', 'other']) {
    const log = new LogLines();
    log.add(1, `${text}\n`);
    expect(shown.of([...log.all], { filter: 'o', level: null }).map((line) => line.text)).toEqual([text]);
  }
});
