import { expect, test } from 'vitest';
import { z } from 'zod';
import { knownKeysIn, nearestKeyIn } from './nearest-key.ts';
import { refusals } from './refusal.ts';
import { calendarSpec } from './schedule/calendar/spec.ts';
import { taskDefinition } from './task.ts';
import { nearestTaskKey } from './task-keys.ts';

function refused(schema: z.ZodType, value: unknown): string[] {
  const parsed = schema.safeParse(value);
  return parsed.success ? [] : refusals(parsed.error.issues, value, { root: 'the task', nearestKey: nearestTaskKey });
}

const task = (given: object) =>
  refused(taskDefinition, { name: 'a', handler: { type: 'shell', command: 'x' }, ...given });

test.each([
  [{ timeoutMs: '5s' }, 'timeoutMs: expected a number, got "5s"'],
  [{ limit: 2000 }, 'limit: expected at most 1000, got 2000'],
  [{ schedule: { kind: 'every', everyMs: 5 } }, 'schedule.everyMs: expected at least 1000, got 5'],
  [{ retry: { maxAttempts: 1.5 } }, 'retry.maxAttempts: expected a whole number, got 1.5'],
  [{ retry: {} }, 'retry.maxAttempts: is missing; expected a number'],
  [{ onFleetStart: 'yes' }, 'onFleetStart: expected true or false, got "yes"'],
  [{ name: 'a b' }, 'name: expected 1 to 200 letters, digits and ._:@/- , starting with a letter or digit, got "a b"'],
  [
    { schedule: { kind: 'once', at: 'tomorrow' } },
    'schedule.at: expected an ISO 8601 instant such as 2026-03-01T09:00:00Z, got "tomorrow"',
  ],
  [
    { schedule: { kind: 'evry' } },
    'schedule.kind: expected cron, every, fixed-delay, rrule, once or manual, got "evry", did you mean every?',
  ],
  [
    { overlap: 'wait-al' },
    'overlap: expected skip, wait-one, wait-all, replace or allow, got "wait-al", did you mean wait-all?',
  ],
  [{ catchUp: { policy: 'all', max: '5' } }, 'catchUp.max: expected a number, got "5"'],
  [{ timoutMs: 5 }, 'the task: unknown key "timoutMs", did you mean timeoutMs?'],
  [{ notify: { email: ['x'] } }, 'notify.email.0: expected a mail address, got "x"'],
  [
    { handler: { type: 'shell', command: 'x', env: { 'A-B': 'c' } } },
    'handler.env.A-B: expected letters, digits and _ as the key',
  ],
  [{ handler: { type: 'shell' } }, 'handler: give either command or argv'],
  [{ handler: undefined }, 'handler: is missing; expected an object'],
  [{ payload: 1, tags: [] }, 'the task: unknown key "tags"'],
  [
    { description: 'x'.repeat(5000) },
    `description: expected at most 4096 characters, got "${'x'.repeat(79)}… (5002 characters)`,
  ],
])('%j is refused with path, bound and value', (given, words) => {
  expect(task(given)).toEqual([words]);
});

test('each thing that is wrong is told', () => {
  expect(task({ limit: 0, timeoutMs: 1 })).toEqual([
    'limit: expected at least 1, got 0',
    'timeoutMs: expected at least 100, got 1',
  ]);
  expect(refused(taskDefinition, 5)).toEqual(['the task: expected an object, got 5']);
});

test('so are calendars', () => {
  const entries = [{ dates: ['2026-13-1'] }, {}, { weekdays: ['MONDAY'] }];
  expect(refused(calendarSpec, { timeZone: 'UTC', entries })).toEqual([
    'entries.0.dates.0: expected a date such as 2026-12-25, or 12-25 for every year, got "2026-13-1"',
    'entries.1: give at least one of dates, weekdays, from and to, hours',
    'entries.2.weekdays.0: expected SUN, MON, TUE, WED, THU, FRI or SAT, got "MONDAY"',
  ]);
});

test('the keys that are known are listed once, beside the nearest', () => {
  const schema = z.strictObject({ reason: z.string(), until: z.string().optional() });
  const given = { reasn: 'x', reason: 'y', other: 1 };
  const parsed = schema.safeParse(given);
  const options = {
    root: 'the body',
    nearestKey: (path: readonly PropertyKey[], key: string) => nearestKeyIn(schema, path, key),
    knownKeys: (path: readonly PropertyKey[]) => knownKeysIn(schema, path),
  };
  expect(parsed.success ? [] : refusals(parsed.error.issues, given, options)).toEqual([
    'the body: unknown key "reasn", did you mean reason? It takes reason, until',
    'the body: unknown key "other"',
  ]);
});
