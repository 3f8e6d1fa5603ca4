import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HOUR, MINUTE, MONTH, MONTH_DAY, type Range, standardField, WEEKDAY } from '../../../test/cron-arbitrary.ts';
import { DIALECTS, type FieldName } from './field.ts';
import { isSpan, readItem } from './item.ts';
import { spanValues, standardValues, valuesOf } from './values.ts';

const dialect = DIALECTS.unix;
const { fields } = dialect;

const values = (name: FieldName, text: string): readonly number[] => {
  const field = fields[name];
  return valuesOf(
    field,
    text,
    text.split(',').map((member) => readItem(member, { field, dialect })),
  );
};

describe('the values of a field', () => {
  it.each([
    ['minute', '5/15', [5, 20, 35, 50]],
    ['minute', '55-5/2', [1, 3, 5, 55, 57, 59]],
    ['minute', '1-5,3', [1, 2, 3, 4, 5]],
    ['minute', '*/25', [0, 25, 50]],
    ['minute', '*/70', [0]],
    ['hour', '23-3/2', [1, 3, 23]],
    ['dayOfMonth', '28-3', [1, 2, 3, 28, 29, 30, 31]],
    ['month', 'nov-Feb', [1, 2, 11, 12]],
    ['dayOfWeek', 'FRI-MON', [0, 1, 5, 6]],
    ['dayOfWeek', '5-7', [0, 5, 6]],
    ['dayOfWeek', '0,7', [0]],
    ['dayOfWeek', '7-1', [0, 1]],
    ['dayOfWeek', '1/2', [0, 1, 3, 5]],
  ] as const)('%s %s', (name, text, expected) => {
    expect(values(name, text)).toEqual(expected);
  });

  it.each<[FieldName, Range]>([
    ['minute', MINUTE],
    ['hour', HOUR],
    ['dayOfMonth', MONTH_DAY],
    ['month', MONTH],
    ['dayOfWeek', WEEKDAY],
  ])('of %s are the same by cron-parser and by our own reading', (name, range) => {
    const field = fields[name];
    fc.assert(
      fc.property(standardField(range), (text) => {
        const standard = standardValues(field, text);
        if (!standard) return;
        const items = text.split(',').map((member) => readItem(member, { field, dialect }));
        expect(spanValues(field, items.filter(isSpan))).toEqual(standard);
      }),
      { numRuns: 200 },
    );
  });
});
