import {
  CUTOVER_STATES,
  cronLineId,
  MOST_DIFFERENCES,
  MOST_LINES,
  MOST_REPORTS,
  readInstant,
  SIDES,
} from '@escapement/core';
import {
  cutOver,
  receiveReports,
  type ShadowedLine,
  settleCutover as settle,
  shadowStatus,
} from '@escapement/operations';
import { z } from 'zod';
import { route } from '../http/route.ts';
import { at, instantIn, ms, reasonIn } from '../schemas/values.ts';

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

const answerOfHost = z.enum(['taken', 'refused']);

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

const cutover = z
  .object({
    id: z.uuid(),
    host: z.string(),
    to: z.enum(SIDES),
    at: at.meta({ description: 'From then on the line is run by the other side.' }),
    state: z.enum(CUTOVER_STATES).meta({ description: 'What the host has answered, else what a person has said.' }),
    askedBy: z.string(),
    askedAt: at,
    reason: z.string().nullable(),
    settled: answerOfHost.nullable().meta({ description: 'What a person has said in the place of the host.' }),
    settledBy: z.string().nullable(),
    answer: answerOfHost.nullable(),
    answeredAt: at.nullable().meta({ description: 'By the clock of the host.' }),
  })
  .meta({ id: 'Cutover' });

function seenCutover({ line: _, taskId: __, ...shown }: NonNullable<ShadowedLine['cutover']>) {
  return shown;
}

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
    const lines = await shadowStatus(db, { source: query.source, since }, now);
    return { items: lines.map((line) => ({ ...line, cutover: line.cutover && seenCutover(line.cutover) })) };
  },
});

const chosen = z
  .object({
    line: z.string(),
    task: z.string(),
    host: z.string(),
    to: z.enum(SIDES),
    at,
    after: at.meta({ description: 'The last fire of the side that has the line until then.' }),
    before: at.meta({ description: 'The first fire of the other side.' }),
    isRunning: z.boolean().meta({ description: 'cron runs the line at this moment: that goes on.' }),
  })
  .meta({ id: 'CutoverChosen' });

const linesIn = z.array(z.string().min(1).max(100)).min(1).max(MOST_LINES).optional().meta({
  description:
    'These lines: all or none. Default: those whose differences are all explained, and that have agreed three times.',
});

export const cutOverLines = route({
  id: 'cutOverLines',
  method: 'POST',
  path: '/v1/shadow/cutovers',
  tag: 'crontab',
  summary: 'Have lines of crontabs run by the fleet instead of cron, or the other way round, from an instant on.',
  description:
    'The instant lies between two fires of each line. The host of the line is asked when it tells what cron did, and answers; until then what is due from the instant on is held.',
  right: 'edit',
  on: 'act',
  audit: 'cut over',
  missing: ['unknown_source', 'unknown_line'],
  body: z.strictObject({
    to: z.enum(SIDES),
    lines: linesIn,
    source: z.string().min(1).max(200).optional().meta({ description: 'Of this crontab only.' }),
    at: instantIn.optional().meta({ description: 'In the gap of this instant. Default: after two more fires.' }),
    dryRun: z.boolean().default(false).meta({ description: 'Only say what would be proposed.' }),
    reason: reasonIn,
  }),
  answer: z
    .object({
      items: z.array(chosen),
      left: z
        .array(z.object({ line: z.string(), task: z.string(), why: z.string() }))
        .meta({ description: 'Where no lines were named: those that stay as they are.' }),
    })
    .meta({ id: 'Cutovers' }),
  handle: async ({ db, by, body: { reason, lines, ...wanted } }) =>
    await cutOver(db, { ...wanted, lines: lines ?? 'green' }, by(reason)),
});

export const settleCutover = route({
  id: 'settleCutover',
  method: 'POST',
  path: '/v1/shadow/cutovers/:line/settle',
  tag: 'crontab',
  summary: 'Say whether a host has taken a cut-over, in the place of one that will not answer.',
  description: 'What the host says later counts more.',
  right: 'edit',
  on: 'act',
  audit: 'settle cut-over',
  missing: ['nothing_to_settle'],
  params: z.strictObject({ line: cronLineId }),
  body: z.strictObject({ answer: answerOfHost, reason: reasonIn }),
  answer: cutover,
  handle: async ({ db, by, params: { line }, body: { answer, reason } }) =>
    seenCutover(await settle(db, { line, answer }, by(reason))),
});
