import { expect, test } from 'vitest';
import { compare, type Ids, withIds } from './shown.ts';

const SHOWN_ID = '01a2022a-5b20-7e74-8f8f-54e664a53f81';
const ID = '01a2ffff-0000-7000-8000-000000000001';
const OTHER_ID = '01a2ffff-0000-7000-8000-000000000002';

const differences = (shown: string, printed: string, ids: Ids = new Map()) => compare(shown, printed, ids);

test.each([
  ['took 32 ms at 2026-11-22T07:31:00Z', 'took 1.5 s at 2027-01-02T03:04:05.678Z'],
  ['next 2026-11-22 07:31:00 +00:00 (in 2.7 s)', 'next 2026-11-26 20:52:20 +01:00 (in 1 h 30 min)'],
  ['a  b   c', 'a b          c'],
  ['1 run would be rerun', '12 runs would be rerun'],
  ['WARN Alerts nobody ...', 'WARN Alerts nobody is told, and more'],
  ['flaky    .F  code', 'flaky   ..........F  code'],
])('%s is the same as %s', (shown, printed) => {
  expect(differences(shown, printed)).toEqual([]);
});

test.each([
  ['succeeded', 'failed'],
  ['one\ntwo', 'one'],
  ['one', 'one\ntwo'],
  ['two\n...\none', 'one\ntwo'],
  ['at 07', 'at x'],
])('%j is not the same as %j', (shown, printed) => {
  expect(differences(shown, printed)).not.toEqual([]);
});

test('lines may be left out where it is said that they are', () => {
  expect(differences('a\n...\nd', 'a\nb\nc\nd\ne')).toEqual([]);
  expect(differences('...\nc', 'a\nb\nc')).toEqual([]);
});

test('an id is noted where it comes first, and has to be the same from then on', () => {
  const ids: Ids = new Map();
  expect(differences(`run ${SHOWN_ID}`, `run ${ID}`, ids)).toEqual([]);
  expect(withIds(`runs show ${SHOWN_ID}`, ids)).toBe(`runs show ${ID}`);
  expect(differences(`run ${SHOWN_ID}`, `run ${ID}`, ids)).toEqual([]);
  expect(differences(`run ${SHOWN_ID}`, `run ${OTHER_ID}`, ids)).not.toEqual([]);
});

test('of what differs no id is noted', () => {
  const ids: Ids = new Map();
  differences(`run ${SHOWN_ID}\nend`, `run ${ID}\nno`, ids);
  expect(ids.size).toBe(0);
});
