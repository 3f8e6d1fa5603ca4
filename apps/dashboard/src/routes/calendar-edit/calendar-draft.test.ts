import { expect, test } from 'vitest';
import type { Problem } from '../../api/problem.ts';
import { entriesOf, textsAt, textsOf, withEntries, wrongAt, wrongWith } from './calendar-draft.ts';

test('what is typed as a list is one, also while it is none yet', () => {
  expect(textsOf(' 2026-12-25, 12-26;01-01 ')).toEqual(['2026-12-25', '12-26', '01-01']);
  expect(textsOf(' ,')).toEqual([]);
  expect(entriesOf({ entries: 'none' })).toEqual([]);
  expect(entriesOf({ entries: [null, { dates: [1] }] })).toEqual([{}, { dates: [1] }]);
  expect(textsAt({ dates: [1, '12-25'] }, 'dates')).toEqual(['1', '12-25']);
  expect(withEntries({ timeZone: 'UTC' }, [{}])).toEqual({ timeZone: 'UTC', entries: [{}] });
});

test('what is wrong is told at its field', () => {
  const errors = [
    { in: 'body' as const, path: 'definition.entries.1.dates.0', message: 'expected a date' },
    { in: 'body' as const, path: 'definition.entries.1', message: 'from and to belong together' },
  ];
  const problem = { errors } as Problem;
  expect(wrongAt(problem, 'definition.entries.1.dates')).toBe('expected a date');
  expect(wrongWith(problem, 'definition.entries.1')).toBe('from and to belong together');
  expect([wrongAt(problem, 'definition.entries.10'), wrongAt(undefined, 'definition')]).toEqual([undefined, undefined]);
});
