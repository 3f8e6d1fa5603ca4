import { readInstant } from '@escapement/core';
import { cronLineId, MOST_DIFFERENCES, MOST_LINES, MOST_REPORTS, SIDES } from '@escapement/core/shadow';
import { receiveReports, shadowStatus } from '@escapement/operations';
import { z } from 'zod';
import { route } from '../http/route.ts';
import { answerOfHost, crontabIn, cutover, seenCutover } from '../schemas/cutover.ts';
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
  leftToFleet: z
    .boolean()
    .optional()
    .meta({ description: 'The fleet has the line: the command did not run. Default: false.' }),
});

const hostWord = {
  reports: z.array(report).max(MOST_REPORTS),
  host: z
    .string()
    .min(1)
    .max(255)
    .optional()
    .meta({ description: 'Who tells. Default: it answers no cut-over, and is asked for none.' }),
  lines: z
    .array(z.strictObject({ line: cronLineId, lastStartedAt: instantIn }))
    .max(MOST_LINES)
    .default([])
    .meta({ description: 'Lines that the sender has started, and when last.' }),
  answers: z
    .array(z.strictObject({ id: z.uuid(), answer: answerOfHost, answeredAt: instantIn }))
    .max(MOST_LINES)
    .default([])
    .meta({ description: 'To cut-overs that were proposed.' }),
};

const proposal = z
  .object({
    id: z.uuid(),
    line: z.string(),
    to: z.enum(SIDES),
    at,
    settled: answerOfHost.nullable().meta({ description: 'What a person has said in the place of the host.' }),
    now: at.meta({ description: 'The clock of the server: a host whose own differs refuses.' }),
  })
  .meta({ id: 'CutoverProposal' });

export const sendCronReports = route({
  id: 'sendCronReports',
  method: 'POST',
  path: '/v1/shadow/reports',
  tag: 'crontab',
  summary: 'Tell what cron has started on a host, and how it ended. `escapement report` does it.',
  description:
    'May be repeated at any time, and in any order. A token with the scope `host=NAME` may tell of that host alone.',
  right: 'report',
  on: 'action',
  audit: null,
  body: z.strictObject(hostWord),
  answer: z
    .object({
      taken: z.int(),
      proposals: z.array(proposal).meta({ description: 'Cut-overs of these lines that the host has not answered.' }),
    })
    .meta({ id: 'CronReportsTaken' }),
  handle: async ({ db, by, body }) => {
    const proposals = await receiveReports(db, body, by());
    return { taken: body.reports.length, proposals };
  },
});

const span = z.object({ middle: ms, most: ms }).nullable();

const shadowed = z
  .object({
    id: z.string(),
    task: z.string(),
    taskId: z.string(),
    source: z.string(),
    meaning: z.string(),
    schedule: z.string().meta({ description: 'As the crontab has it.' }),
    command: z.string().meta({ description: 'Without what looks like a secret in it.' }),
    user: z.string().nullable().meta({ description: 'As whom it runs; null: as whoever the worker is.' }),
    comparedSince: at.nullable().meta({ description: 'Null: nothing was told of it in that time.' }),
    state: z.enum(['agrees', 'differs', 'silent']).meta({
      description: '`agrees`: each difference is explained. `silent`: no host has told of it in that time.',
    }),
    hosts: z.array(z.string()),
    side: z.enum([...SIDES, 'unknown']).meta({
      description: 'Who runs it now. `unknown`: its host has not answered a cut-over whose instant has passed.',
    }),
    cutover: cutover.nullable().meta({ description: 'The last one that was asked for.' }),
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
    source: crontabIn,
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
    const lines = await shadowStatus(db, { source: query.source, since }, now);
    return { items: lines.map((line) => ({ ...line, cutover: line.cutover && seenCutover(line.cutover) })) };
  },
});
