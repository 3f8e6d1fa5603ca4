import fc from 'fast-check';

const MONTHS = ['JAN', 'feb', 'Mar', 'apr', 'MAY', 'jun', 'jul', 'aug', 'sep', 'oct', 'NOV', 'dec'];
const WEEKDAYS = ['SUN', 'mon', 'Tue', 'wed', 'THU', 'fri', 'sat'];

export interface Range {
  min: number;
  max: number;
  words?: readonly string[];
}

export const MINUTE: Range = { min: 0, max: 59 };
export const HOUR: Range = { min: 0, max: 23 };
export const MONTH_DAY: Range = { min: 1, max: 31 };
export const MONTH: Range = { min: 1, max: 12, words: MONTHS };
export const WEEKDAY: Range = { min: 0, max: 7, words: WEEKDAYS };

const value = ({ min, max, words }: Range): fc.Arbitrary<string> =>
  fc.integer({ min, max }).chain((number) => {
    const word = words?.[(number - min) % words.length];
    return word ? fc.constantFrom(String(number), word) : fc.constant(String(number));
  });

const forwards = ({ min, max }: Range): fc.Arbitrary<string> =>
  fc.tuple(fc.integer({ min, max }), fc.integer({ min, max })).map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`);

const stepOf = ({ max }: Range): fc.Arbitrary<number> => fc.integer({ min: 1, max });

/** A list member in the dialect that every cron knows. */
const standardMember = (range: Range): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 4, arbitrary: value(range) },
    { weight: 2, arbitrary: forwards(range) },
    { weight: 1, arbitrary: fc.tuple(forwards(range), stepOf(range)).map(([span, step]) => `${span}/${step}`) },
    { weight: 2, arbitrary: stepOf(range).map((step) => `*/${step}`) },
  );

const wrapped = ({ min, max }: Range): fc.Arbitrary<string> =>
  fc
    .tuple(fc.integer({ min, max }), fc.integer({ min, max }), fc.integer({ min: 1, max: 3 }))
    .map(([a, b, step]) => `${Math.max(a, b)}-${Math.min(a, b)}${step === 1 ? '' : `/${step}`}`);

const members = (member: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constant('*') },
    { weight: 5, arbitrary: member },
    { weight: 2, arbitrary: fc.array(member, { minLength: 2, maxLength: 4 }).map((list) => list.join(',')) },
  );

export const standardField = (range: Range): fc.Arbitrary<string> => members(standardMember(range));

const unixMember = (range: Range): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 4, arbitrary: standardMember(range) },
    { weight: 1, arbitrary: wrapped(range) },
    { weight: 1, arbitrary: fc.tuple(value(range), stepOf(range)).map(([from, step]) => `${from}/${step}`) },
  );

const monthDay = fc.oneof(
  { weight: 4, arbitrary: unixMember(MONTH_DAY) },
  { weight: 1, arbitrary: fc.constantFrom('L', 'LW', 'L-3', 'L-2W', '15W', '1W', '31W', '?') },
);

const weekday = fc.oneof(
  { weight: 4, arbitrary: unixMember(WEEKDAY) },
  { weight: 1, arbitrary: fc.constantFrom('5L', 'MONL', '1#1', 'FRI#3', '0#5', '7#2') },
);

const plainOr = (special: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  members(special).filter((text) => text === '?' || !text.includes('?'));

const hashed = (text: string): fc.Arbitrary<string> => fc.constantFrom(text, 'H', 'H/3', 'H(2-20)', 'H(0-9)/4');

/** Expressions of the unix dialect, with everything it knows. Some of them never fire. */
export const unixExpression: fc.Arbitrary<string> = fc
  .record({
    second: fc.option(standardField(MINUTE), { nil: undefined, freq: 8 }),
    minute: members(unixMember(MINUTE)).chain((text) => (text === '*' ? hashed(text) : fc.constant(text))),
    hour: members(unixMember(HOUR)).chain((text) => (text === '*' ? hashed(text) : fc.constant(text))),
    monthDay: fc.oneof({ weight: 2, arbitrary: fc.constant('*') }, { weight: 3, arbitrary: plainOr(monthDay) }),
    month: fc.oneof({ weight: 3, arbitrary: fc.constant('*') }, { weight: 1, arbitrary: members(unixMember(MONTH)) }),
    plus: fc.constantFrom('', '', '+'),
    weekday: fc.oneof({ weight: 2, arbitrary: fc.constant('*') }, { weight: 3, arbitrary: plainOr(weekday) }),
    year: fc.constantFrom('*', '1970-2099/3', '1999,2001-2090'),
  })
  .map((field) =>
    [
      field.second,
      field.minute,
      field.hour,
      field.monthDay,
      field.month,
      field.plus + field.weekday,
      // A year goes with a second only.
      field.second === undefined || field.second.endsWith('5') ? undefined : field.year,
    ]
      .filter((text) => text !== undefined)
      .join(' '),
  );

/** Expressions of the dialect of Vixie's cron. */
export const vixieExpression: fc.Arbitrary<string> = fc
  .tuple(
    ...[MINUTE, HOUR, MONTH_DAY, MONTH, WEEKDAY].map((range) =>
      fc.oneof(standardField(range), fc.constantFrom('*', '*/2')),
    ),
  )
  .map((fields) => fields.join(' '));

const QUARTZ_WEEKDAY: Range = { min: 1, max: 7, words: WEEKDAYS };
const QUARTZ_MONTH_DAYS = ['L', 'LW', 'L-3', 'L-1W,L-1', '15W,20', '31W', '1W'];
const QUARTZ_WEEKDAYS = ['L', '6L', 'FRIL', '2#1', 'MON#3', '1#5,7#5'];

/** Expressions of the Quartz dialect, of six or seven fields. */
export const quartzExpression: fc.Arbitrary<string> = fc
  .record({
    second: fc.constantFrom('0', '0', '30', '0/15', '/20', '55-5/5'),
    minute: members(unixMember(MINUTE)),
    hour: members(unixMember(HOUR)),
    days: fc.oneof(
      fc.oneof(members(unixMember(MONTH_DAY)), fc.constantFrom(...QUARTZ_MONTH_DAYS)).map((day) => [day, '?'] as const),
      fc
        .oneof(members(unixMember(QUARTZ_WEEKDAY)), fc.constantFrom(...QUARTZ_WEEKDAYS))
        .map((day) => ['?', day] as const),
    ),
    month: fc.oneof({ weight: 3, arbitrary: fc.constant('*') }, { weight: 1, arbitrary: members(unixMember(MONTH)) }),
    year: fc.constantFrom('', '', '', ' *', ' 1970-2099/3', ' 1999,2001-2090'),
  })
  .map(
    ({ second, minute, hour, days: [monthDay, weekday], month, year }) =>
      `${second} ${minute} ${hour} ${monthDay} ${month} ${weekday}${year}`,
  );

/** Any cron spec but for its zone. */
export const cronChoice = fc.oneof(
  { weight: 3, arbitrary: fc.record({ dialect: fc.constant('unix' as const), expression: unixExpression }) },
  { weight: 1, arbitrary: fc.record({ dialect: fc.constant('vixie' as const), expression: vixieExpression }) },
  { weight: 2, arbitrary: fc.record({ dialect: fc.constant('quartz' as const), expression: quartzExpression }) },
);

export const dstChoice = fc.record(
  {
    gap: fc.constantFrom('next-valid' as const, 'shift' as const, 'skip' as const),
    overlap: fc.constantFrom('first' as const, 'second' as const, 'both' as const),
  },
  { requiredKeys: [] },
);

export const anyZone = fc.constantFrom(...Intl.supportedValuesOf('timeZone'));
