import fc from 'fast-check';

const list = (arbitrary: fc.Arbitrary<number>, maxLength = 3): fc.Arbitrary<string> =>
  fc.uniqueArray(arbitrary, { minLength: 1, maxLength }).map((numbers) => numbers.join(','));

const signed = (max: number): fc.Arbitrary<number> => fc.integer({ min: -max, max }).filter((number) => number !== 0);

const weekday = fc.constantFrom('SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA');
const weekdays = (nth: boolean): fc.Arbitrary<string> => {
  const number = nth ? fc.constantFrom('', '', '1', '2', '-1', '5') : fc.constant('');
  return fc
    .uniqueArray(
      fc.tuple(number, weekday).map((word) => word.join('')),
      { minLength: 1, maxLength: 3 },
    )
    .map((words) => words.join(','));
};

const maybe = <T>(arbitrary: fc.Arbitrary<T>, freq = 3): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined, freq });

/** Rules that are read; some have no occurrence. */
export const rule: fc.Arbitrary<string> = fc
  .constantFrom('YEARLY', 'MONTHLY', 'WEEKLY', 'DAILY', 'HOURLY', 'MINUTELY')
  .chain((freq) =>
    fc
      .record({
        INTERVAL: maybe(fc.integer({ min: 1, max: 5 }), 2),
        COUNT: maybe(fc.integer({ min: 1, max: 30 }), 6),
        WKST: maybe(weekday),
        BYMONTH: maybe(list(fc.integer({ min: 1, max: 12 })), 4),
        BYMONTHDAY: maybe(list(signed(31)), 4),
        BYYEARDAY: maybe(list(signed(366), 20), 9),
        BYWEEKNO: maybe(list(signed(53), 8), 9),
        BYDAY: maybe(weekdays(freq === 'MONTHLY' || freq === 'YEARLY'), 3),
        BYHOUR: maybe(list(fc.integer({ min: 0, max: 23 })), 3),
        BYMINUTE: maybe(list(fc.integer({ min: 0, max: 59 })), 3),
        BYSETPOS: maybe(list(signed(5)), 5),
      })
      .map((parts) => {
        const nth = /\d/.test(parts.BYDAY ?? '');
        const said = Object.entries(parts).filter(
          ([part, value]) => value !== undefined && !(nth && part === 'BYWEEKNO'),
        );
        return [`FREQ=${freq}`, ...said.map(([part, value]) => `${part}=${value}`)].join(';');
      }),
  );
