import type { ErrorFacts } from './error-facts.ts';

/** Schedules and calendars. */
export const SCHEDULES_ERRORS = {
  calendar_invalid: {
    when: 'a calendar is not valid',
    fix: 'correct what is named; see schedules.md',
    status: 422,
    exit: 2,
  },
  calendar_shift: {
    when: 'occurrences of this schedule cannot be shifted',
    fix: 'leave out `shift`, or make the schedule less dense',
    status: 422,
    exit: 2,
  },
  cron_day_match: {
    when: 'an expression says both that both day fields must match and that one must',
    fix: 'keep one of them',
    status: 422,
    exit: 2,
  },
  cron_field_count: {
    when: 'an expression has too few or too many fields',
    fix: 'give the number of fields that is named',
    status: 422,
    exit: 2,
  },
  cron_macro: {
    when: 'a macro such as `@daily` is not known in this dialect',
    fix: 'write the fields',
    status: 422,
    exit: 2,
  },
  cron_never: {
    when: 'an expression names a date that does not exist, such as 31 February',
    fix: 'give a date that exists',
    status: 422,
    exit: 2,
  },
  cron_question_mark: {
    when: 'an expression of Quartz has no `?` in exactly one of its day fields',
    fix: 'put `?` into one of them',
    status: 422,
    exit: 2,
  },
  cron_range: { when: 'a range runs backwards', fix: 'write it from small to large', status: 422, exit: 2 },
  cron_step: {
    when: 'a step is 0 or too large',
    fix: 'give a step within the bounds that are named',
    status: 422,
    exit: 2,
  },
  cron_syntax: {
    when: 'a field of an expression cannot be read',
    fix: 'write it as the message says',
    status: 422,
    exit: 2,
  },
  cron_value: {
    when: 'a value of an expression is out of range',
    fix: 'give a value within the range that is named',
    status: 422,
    exit: 2,
  },
  day_offset: {
    when: '`dayOffset` and `workingDayOffset` are both given',
    fix: 'give one of them',
    status: 422,
    exit: 2,
  },
  every_phase: {
    when: 'the phase of an interval is not less than the interval',
    fix: 'give a smaller phase',
    status: 422,
    exit: 2,
  },
  invalid_instant: {
    when: 'a program asked for the next time after an invalid date',
    fix: 'give a valid `Date`',
    status: 422,
    exit: 2,
  },
  local_time: {
    when: 'there is no such local date and time',
    fix: 'give it as in `2026-12-31T09:00:00`',
    status: 422,
    exit: 2,
  },
  rrule_count: {
    when: '`COUNT` of a rule reaches too far',
    fix: 'give a smaller `COUNT`, or `UNTIL`',
    status: 422,
    exit: 2,
  },
  rrule_never: { when: 'a rule has no occurrence', fix: 'give a rule with at least one date', status: 422, exit: 2 },
  rrule_part: {
    when: 'a rule has a part that RFC 5545 does not know',
    fix: 'use the parts that are named',
    status: 422,
    exit: 2,
  },
  rrule_syntax: { when: 'a rule cannot be read', fix: 'write it as RFC 5545, 3.3.10 says', status: 422, exit: 2 },
  rrule_value: {
    when: 'a part of a rule has a value that is not allowed',
    fix: 'give a value as the message says',
    status: 422,
    exit: 2,
  },
  rrule_weekday: { when: 'a rule names a weekday that does not exist', fix: 'use `MO` to `SU`', status: 422, exit: 2 },
  schedule_bounds: {
    when: 'a schedule ends before it starts',
    fix: 'correct `startAt` or `endAt`',
    status: 422,
    exit: 2,
  },
  schedule_invalid: {
    when: 'a schedule is not valid',
    fix: 'correct what is named; see schedules.md',
    status: 422,
    exit: 2,
  },
  unknown_zone: {
    when: 'there is no time zone of this name',
    fix: 'give an IANA name such as `Europe/Berlin`',
    status: 422,
    exit: 2,
  },
} as const satisfies Record<string, ErrorFacts>;
