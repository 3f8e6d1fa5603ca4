import { expect, test } from 'vitest';
import { parseSchedule } from './parse.ts';
import { ifReadable } from './readable.ts';

const daily = (timeZone: string) => () => parseSchedule({ kind: 'cron', expression: '30 2 * * *', timeZone });

test('a schedule in a time zone that is not known here is not readable; any other error is one', () => {
  expect(ifReadable(daily('Europe/Berlin'))?.kind).toBe('cron');
  expect(ifReadable(daily('Mars/Base'))).toBeUndefined();
  const broken = () => ifReadable(() => JSON.parse('{'));
  expect(broken).toThrow(SyntaxError);
});
