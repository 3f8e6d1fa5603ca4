import { EscapementError, reportedCode } from '@escapement/core';
import { expect, test } from 'vitest';
import { statusOf } from './status-of.ts';

test.each([
  ['unknown_task', ['unknown_task'], 404],
  ['unknown_calendar', ['unknown_task'], 422],
  ['bad_instant', [], 400],
  ['run_ended', [], 409],
  ['cron_value', [], 422],
  ['database_rights', [], undefined],
  ['bad_of_a_later_version', [], undefined],
  ['constructor', [], undefined],
])('%s of a route about %j is %s', (code, missing, status) => {
  expect(statusOf(new EscapementError(reportedCode(code), ''), missing)).toBe(status);
});
