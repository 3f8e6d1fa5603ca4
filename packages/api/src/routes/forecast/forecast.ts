import { DAY, nearestInstant, overlapPolicy, readInstant } from '@escapement/core';
import type { LabelSelector } from '@escapement/core/rights';
import { parseTaskQuery } from '@escapement/core/run-query';
import { parseSchedule } from '@escapement/core/schedule';
import {
  calendarOfTasks,
  labelsSeen,
  piecesOf,
  readOccurrences,
  type STEPS,
  stepFor,
  whatIf,
  zoneOf,
} from '@escapement/operations';
import { z } from 'zod';
import { type RequestContext, route, textRoute } from '../../http/route.ts';
import { at, countIn, labelIn, ms } from '../../schemas/values.ts';
import { taskOf, taskParams, theTask } from '../tasks/task-of.ts';

const MOST_DAYS = 366;
/** Of a calendar that is subscribed to: it is read again and again. */
const SUBSCRIBED_DAYS = 31;
const STEP_NAMES = ['5m', '15m', '1h', '6h', '1d'] as const satisfies readonly (keyof typeof STEPS)[];

const peak = z.object({ runs: z.int(), at: at.nullable().meta({ description: 'When it is reached first.' }) });
const outcome = z.object({
  wait: z.int(),
  longestWaitMs: ms,
  skipped: z.int(),
  replace: z.int(),
  firstAt: at.nullable(),
});

const mostADay = countIn(1, 1440, 24).meta({ description: 'Tasks that run more often are left out.' });

const fromIn = z
  .string()
  .max(40)
  .default('now')
  .meta({ description: 'From then on: ISO 8601, or a span from now such as 12h.' });

const ahead = {
  from: fromIn,
  pool: z.string().max(63).optional(),
  label: labelIn,
};

export const getForecast = route({
  id: 'getForecast',
  method: 'GET',
  path: '/v1/forecast',
  tag: 'forecast',
  summary: 'What will start when, how much of it will be at work at once, and where that is more than may be.',
  description: 'Asked again with the same instant as `from`, it is not computed anew unless something has changed.',
  right: 'read',
  on: () => 'some' as const,
  audit: null,
  missing: ['unknown_pool', 'unknown_key'],
  query: z.strictObject({
    ...ahead,
    days: countIn(1, MOST_DAYS, 7),
    step: z
      .enum(STEP_NAMES)
      .optional()
      .meta({ description: 'Length of a piece. Default: so that there are some thirty.' }),
    key: z.string().max(512).optional().meta({ description: 'Only of tasks whose runs have this key.' }),
    timeZone: z.string().max(64).default('UTC').meta({ description: 'Of the pieces.' }),
  }),
  answer: z
    .object({
      from: at,
      to: at,
      tasks: z.int(),
      runs: z.int(),
      pieces: z.array(z.object({ from: at, to: at, starts: z.int(), p50: peak, p95: peak })),
      pools: z.array(z.object({ pool: z.string(), runs: z.int(), capacity: z.int(), p50: peak, p95: peak })),
      keys: z.array(
        z.object({
          key: z.string(),
          limit: z.int(),
          tasks: z.array(z.string()),
          runs: z.int(),
          p50: outcome,
          p95: outcome,
        }),
      ),
      keyLimit: z.int().nullable().meta({
        description:
          'Runs with the `key` of the query that may be at work at once; null: none is in it, or its tasks take no slot.',
      }),
      notRun: z.object({ paused: z.int(), excluded: z.int() }),
      unmeasured: z.object({ tasks: z.int(), runs: z.int(), first: z.array(z.string()) }),
      untimed: z.int(),
      clockChanges: z.array(z.object({ at, message: z.string(), fix: z.string().optional() })),
      unplannable: z.array(z.string()),
    })
    .meta({ id: 'Forecast' }),
  handle: async ({ db, by, clock, deadMs, forecasts, query }) => {
    const { days, pool, key, label, timeZone } = query;
    const from = readInstant(query.from, { what: 'from', now: clock.now(), spans: 'ahead', timeZone });
    const to = nearestInstant(from.getTime() + days * DAY);
    const pieces = piecesOf({ from, to }, { step: query.step ?? stepFor(days * DAY), timeZone });
    const labels = labelsSeen(db, by(), label);
    return await forecasts.read(db, { deadMs, from, to, pieces, pool, key, labels });
  },
});

export const getCalendarFile = textRoute({
  id: 'getCalendarFile',
  method: 'GET',
  path: '/v1/calendar.ics',
  tag: 'forecast',
  summary: 'What will run, as an iCalendar (RFC 5545) that the calendars of people subscribe to.',
  description: 'The token may stand in the query, as `token`: make one with the role `viewer` for it alone.',
  right: 'read',
  on: () => 'some' as const,
  audit: null,
  tokenInQuery: true,
  missing: ['unknown_pool', 'unknown_key'],
  query: z.strictObject({
    from: fromIn,
    filter: z.string().max(1000).optional().meta({
      description:
        'Which tasks: `task:nightly-* label:team=shop pool:heavy key:eu`, where all that is given must be met, `*` stands for anything, and `task:one,other` for one of several.',
    }),
    token: z.string().max(100).optional(),
    days: countIn(1, SUBSCRIBED_DAYS, SUBSCRIBED_DAYS),
    mostADay,
  }),
  answer: 'text/calendar; charset=utf-8',
  handle: async ({ query: { filter = '', ...query }, ...asked }) => {
    const { labels: label, ...wanted } = parseTaskQuery(filter);
    const { text } = await calendarOf({ ...asked, query: { ...query, ...wanted, label } });
    return { contentType: 'text/calendar; charset=utf-8', text };
  },
});

export const exportCalendar = route({
  id: 'exportCalendar',
  method: 'GET',
  path: '/v1/forecast/calendar',
  tag: 'forecast',
  summary: 'The same iCalendar, with its events, and the tasks that are not in it.',
  right: 'read',
  on: () => 'some' as const,
  audit: null,
  missing: ['unknown_pool'],
  query: z.strictObject({ ...ahead, days: countIn(1, MOST_DAYS, 30), mostADay }),
  answer: z
    .object({
      text: z.string().meta({ description: 'The iCalendar (RFC 5545).' }),
      events: z.array(
        z.object({
          uid: z.string().meta({ description: 'The same for the same occurrence.' }),
          at,
          lengthMs: ms,
          summary: z.string(),
          description: z.string(),
          category: z.string(),
        }),
      ),
      left: z.object({
        tooOften: z.array(z.string()),
        untimed: z.array(z.string()).meta({ description: 'They start at no time that is known.' }),
        unplannable: z.array(z.string()),
      }),
    })
    .meta({ id: 'ExportedCalendar' }),
  handle: calendarOf,
});

interface CalendarAsked extends Pick<RequestContext, 'db' | 'by' | 'clock'> {
  query: {
    from: string;
    days: number;
    mostADay: number;
    pool?: string | undefined;
    key?: string | undefined;
    names?: string[] | undefined;
    label?: LabelSelector | undefined;
  };
}

async function calendarOf({ db, by, clock, query: { label, from: since, ...wanted } }: CalendarAsked) {
  const now = clock.now();
  const from = readInstant(since, { what: 'from', now, spans: 'ahead', timeZone: 'UTC' });
  const labels = labelsSeen(db, by(), label);
  return await calendarOfTasks(db, { ...wanted, from, labels, now });
}

const replayed = z.object({
  due: z.int(),
  started: z.int(),
  skipped: z.int(),
  late: z.int(),
  longestWaitMs: ms,
  lateP95Ms: ms,
  replaced: z.int(),
  atWorkMs: ms,
  firstAt: at.nullable(),
});

export const replayTask = route({
  id: 'replayTask',
  method: 'POST',
  path: '/v1/tasks/:id/what-if',
  tag: 'forecast',
  summary:
    'What another schedule, overlap policy or limit would have made of the last runs of a task. Nothing is written.',
  params: taskParams,
  missing: ['unknown_task'],
  right: 'read',
  on: theTask,
  audit: null,
  body: z.strictObject({
    expression: z
      .string()
      .max(1000)
      .optional()
      .meta({ description: 'A cron expression, with the zone and the dialect of the task.' }),
    timeZone: z
      .string()
      .max(64)
      .default('UTC')
      .meta({ description: 'Of the expression, where the task has no zone of its own.' }),
    overlap: overlapPolicy.optional(),
    limit: z.int().min(1).max(1000).optional(),
    overMs: z
      .number()
      .min(1)
      .max(366 * DAY)
      .default(30 * DAY)
      .meta({ description: 'Replay so long a time until now.' }),
  }),
  answer: z
    .object({
      from: at,
      to: at,
      recorded: z.int(),
      timeZone: z.string().nullable().meta({ description: 'Of the expression; null: none was given.' }),
      now: replayed,
      then: replayed,
    })
    .meta({ id: 'Replayed' }),
  handle: async (asked) => {
    const { db, clock, body } = asked;
    const task = await taskOf(asked);
    const { name, schedule, calendars } = task.definition;
    const changed =
      body.expression === undefined
        ? undefined
        : {
            ...(schedule.kind === 'cron'
              ? schedule
              : { kind: 'cron' as const, timeZone: zoneOf(schedule) ?? body.timeZone }),
            expression: body.expression,
          };
    const to = clock.now();
    const found = await whatIf(
      db,
      task,
      {
        schedule: changed && parseSchedule(changed, { seed: name }),
        occurrences: changed && (await readOccurrences(db, { name, schedule: changed, calendars })),
        overlap: body.overlap,
        limit: body.limit,
      },
      { from: new Date(to.getTime() - body.overMs), to },
    );
    const instant = (atMs: number | null) => (atMs === null ? null : new Date(atMs));
    return {
      ...found,
      timeZone: changed?.timeZone ?? null,
      now: { ...found.now, firstAt: instant(found.now.firstAt) },
      then: { ...found.then, firstAt: instant(found.then.firstAt) },
    };
  },
});
