import { expect, test } from 'vitest';
import { bodyOf, NOTHING_ASKED } from './asked.ts';

test('what is empty stays as it is; with nothing changed there is nothing to ask', () => {
  expect(bodyOf(NOTHING_ASKED, 'UTC')).toBeNull();
  expect(bodyOf({ ...NOTHING_ASKED, expression: ' 0 4 * * * ', over: '7' }, 'Europe/Berlin')).toEqual({
    expression: '0 4 * * *',
    overMs: 604_800_000,
    timeZone: 'Europe/Berlin',
  });
  expect(bodyOf({ ...NOTHING_ASKED, policy: 'wait-one', limit: 2 }, 'UTC')).toMatchObject({
    overlap: { policy: 'wait-one' },
    limit: 2,
  });
});
