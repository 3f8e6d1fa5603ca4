import { expect, test } from 'vitest';
import { judgeLedgerMove } from './ledger-move.ts';

const HERE = { place: '71/00000001/16384.17000', lsn: '1/A0000000' };
const outside = (lsn: string, place = HERE.place) => ({ place, lsn });

test.each([
  ['cluster', '72/00000001/16384.17000'],
  ['cluster', '72/00000002/16384.17000'],
  ['timeline', '71/00000002/16384.17000'],
  ['tables', '71/00000001/16384.18000'],
  [null, HERE.place],
  [null, null],
])('moved by %s when the row says %s', (move, noted) => {
  expect(judgeLedgerMove({ here: HERE, noted, outside: null })).toBe(move);
});

test('what stands where it stood has gone back if more was written before; positions are numbers, not text', () => {
  const judge = (lsn: string, place?: string) =>
    judgeLedgerMove({ here: HERE, noted: HERE.place, outside: outside(lsn, place) });
  expect(judge('1/A0000001')).toBe('back');
  expect(judge('A/1')).toBe('back');
  expect(judge('1/A0000000')).toBeNull();
  expect(judge('0/FFFFFFFF')).toBeNull();
  expect(judge('A/1', '72/00000001/16384.17000')).toBeNull();
  expect(judge('nonsense')).toBeNull();
});

test('where the row itself was lost with the last commits, what was left outside tells of the earlier timeline', () => {
  const judge = (place: string, noted: string | null = HERE.place) =>
    judgeLedgerMove({ here: HERE, noted, outside: outside('0/1', place) });
  expect(judge('71/00000000/16384.17000')).toBe('timeline');
  expect(judge('71/00000000/16384.17000', null)).toBe('timeline');
  // From a primary that came after this one.
  expect(judge('71/00000002/16384.17000')).toBeNull();
  // Another ledger.
  expect(judge('72/00000000/16384.17000')).toBeNull();
  expect(judge('71/00000000/16384.17001')).toBeNull();
});

test('a Postgres that does not say where it is has not moved', () => {
  expect(judgeLedgerMove({ here: null, noted: HERE.place, outside: outside('F/0') })).toBeNull();
});
