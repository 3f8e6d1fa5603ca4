import { expect, test } from 'vitest';
import { entryWords } from './entry-words.ts';

test('an entry of a calendar is said in plain words', () => {
  const entries: Parameters<typeof entryWords>[0][] = [
    { weekdays: ['SAT', 'SUN'] },
    { dates: ['12-25', '12-26'] },
    { dates: ['2026-03-31'], hours: ['18-24'] },
    { from: '2026-08-03', to: '2026-08-14' },
    { from: '12-24', to: '01-02', weekdays: ['MON'] },
    { hours: ['22-6', '9:30-17'] },
    {
      dates: Array.from({ length: 10 }, (_, n) => `2026-01-0${n}`)
        .slice(1)
        .concat('2026-01-10', '2026-01-11', '2026-01-12'),
    },
  ];
  expect(entries.map(entryWords)).toEqual([
    'on Saturdays and Sundays',
    'every year on 25 December and 26 December',
    'on 31 March 2026, from 18:00 to 24:00',
    'from 3 August 2026 to 14 August 2026',
    'every year from 24 December to 2 January, and on Mondays at once',
    'each day, from 22:00 to 24:00 and from 00:00 to 06:00 and from 09:30 to 17:00',
    'on 1 January 2026, 2 January 2026, 3 January 2026, 4 January 2026, 5 January 2026, 6 January 2026, 7 January 2026, 8 January 2026 and 4 more days',
  ]);
});
