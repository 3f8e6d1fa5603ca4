import { cronLineId, MOST_DIFFERENCES, MOST_REPORTS, readInstant } from '@escapement/core';
import { receiveReports, shadowStatus } from '@escapement/operations';
import { z } from 'zod';
import { route } from '../http/route.ts';
import { at, instantIn, ms } from '../schemas/values.ts';

const report = z.strictObject({
  id: z.uuid().meta({ description: 'Made by the host. Told again, it is one report.' }),
  line: cronLineId,
  host: z.string().min(1).max(255),
  startedAt: instantIn,
  endedAt: instantIn.nullable(),
  exitCode: z.int().min(0).max(255).nullable(),
  signal: z.string().min(1).max(20).nullable(),
  bootedAt: instantIn.nullable().meta({ description: 'When the host came up.' }),
});

export const tellCronReports = route({
  id: 'tellCronReports',
  method: 'POST',
  path: '/v1/shadow/reports',
  tag: 'crontab',
  summary: 'Tell what cron has started on a host, and how it ended. `escapement report` does it.',
  description: 'May be repeated at any time, and in any order.',
  right: 'trigger',
  on: () => null,
  audit: null,
  body: z.strictObject({ reports: z.array(report).max(MOST_REPORTS) }),
  answer: z.object({ taken: z.int() }).meta({ id: 'CronReportsTaken' }),
  handle: async ({ db, by, body: { reports } }) => {
    await receiveReports(db, reports, by());
    return { taken: reports.length };
  },
});

const span = z.object({ middle: ms, most: ms }).nullable();

const shadowed = z
  .object({
    id: z.string(),
    task: z.string(),
    source: z.string(),
    meaning: z.string(),
    state: z.enum(['agrees', 'differs', 'silent']).meta({
      description: '`agrees`: each difference is explained. `silent`: no host has told of it in that time.',
    }),
    hosts: z.array(z.string()),
    lastStartedAt: at.nullable(),
    agreed: z.int(),
    pending: z.int().meta({ description: 'Due so recently that its start may not have been told yet.' }),
    offByMs: span.meta({ description: 'How long after the due time cron started it.' }),
    tookMs: span,
    exits: z.array(z.object({ exit: z.string(), count: z.int() })),
    onlyCron: z.int().meta({ description: 'Starts by cron when nothing was due.' }),
    onlyHere: z.int().meta({ description: 'What was due, and was not started.' }),
    unexplained: z.int().meta({ description: 'Of both, those that nothing explains.' }),
    differences: z
      .array(
        z.object({
          at,
          kind: z.enum(['only-cron', 'only-here']),
          cause: z.enum(['clock-change', 'day-fields', 'host-down', 'host-start']).nullable(),
          words: z.string(),
        }),
      )
      .meta({ description: `The last ones of both, at most ${MOST_DIFFERENCES}.` }),
  })
  .meta({ id: 'ShadowedLine' });

export const getShadow = route({
  id: 'getShadow',
  method: 'GET',
  path: '/v1/shadow',
  tag: 'crontab',
  summary: 'What cron did with each line of the crontabs in the shadow, beside what was planned for it.',
  right: 'read',
  on: () => null,
  audit: null,
  missing: ['unknown_source'],
  query: z.strictObject({
    source: z.string().min(1).max(200).optional().meta({ description: 'Of this crontab only.' }),
    since: z
      .string()
      .max(40)
      .default('7d')
      .meta({ description: 'ISO 8601, or a span such as 24h. Reports are kept for 90 days.' }),
  }),
  answer: z.object({ items: z.array(shadowed) }).meta({ id: 'Shadow' }),
  handle: async ({ db, clock, query }) => {
    const now = clock.now();
    const since = readInstant(query.since, { what: 'since', now, spans: 'ago', timeZone: 'UTC' });
    return { items: await shadowStatus(db, { source: query.source, since }, now) };
  },
});
