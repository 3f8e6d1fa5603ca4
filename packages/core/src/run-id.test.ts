import { expect, test } from 'vitest';
import { isRunId, newRunId, scheduledForOf } from './run-id.ts';

test.each(['1970-01-01T00:00:00.000Z', '2026-05-01T12:00:00.123Z', '9999-12-31T23:59:59.999Z'])(
  'the id of a run that is scheduled for %s says so',
  (at) => {
    const id = newRunId(new Date(at));
    expect(isRunId(id)).toBe(true);
    expect(scheduledForOf(id)).toEqual(new Date(at));
  },
);

test.each([-1, -62_167_219_200_000, 253_402_300_800_000, 8.64e15, Number.NaN])(
  'a run at %s ms has no id: it would be no UUID, or of a year that Postgres does not read',
  (ms) => {
    expect(() => newRunId(new Date(ms))).toThrow(expect.objectContaining({ code: 'bad_instant' }));
  },
);

test('an id of a time that no run has is no run id, and stands for an instant that Postgres reads', () => {
  for (const id of ['ffffffff-ffff-7fff-bfff-ffffffffffff', 'ffffffff-ffff-ffff-ffff-ffffffffffff']) {
    expect(isRunId(id)).toBe(false);
    expect(scheduledForOf(id).toISOString()).toBe('9999-12-31T23:59:59.999Z');
  }
});
