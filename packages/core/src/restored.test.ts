import { expect, test } from 'vitest';
import { frozenReason } from './plan/pause.ts';
import { lostReason, openInCopyReason } from './restored.ts';

const copyAt = new Date('2026-11-26T14:00:00Z');

test('a lost time is kept as a freeze, and worded as what it is', () => {
  const reason = lostReason({ copyAt, untilAt: new Date('2026-11-26T16:00:00Z') });
  expect(reason).toBe(
    'lost with the database: the copy of 2026-11-26T14:00:00Z, from which it was restored, does not say what ran until 2026-11-26T16:00:00Z',
  );
  expect(frozenReason(reason)).toBe(reason);
  expect(frozenReason('moving the database')).toBe('the fleet was frozen: moving the database');
});

test('of a run that the copy shows as open nobody says that it did not run', () => {
  expect(openInCopyReason(copyAt, true)).toContain('it had begun when the copy of 2026-11-26T14:00:00Z was taken');
  expect(openInCopyReason(copyAt, false)).toContain('what became of it since is not known');
});
