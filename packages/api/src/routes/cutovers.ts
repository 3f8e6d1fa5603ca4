import { cronLineId, MOST_LINES, SIDES } from '@escapement/core/shadow';
import { cutOver, settleCutover as settle } from '@escapement/operations';
import { z } from 'zod';
import { route } from '../http/route.ts';
import { answerOfHost, crontabIn, cutover, seenCutover } from '../schemas/cutover.ts';
import { at, instantIn, reasonIn } from '../schemas/values.ts';

const chosen = z
  .object({
    line: z.string(),
    task: z.string(),
    host: z.string(),
    to: z.enum(SIDES),
    at,
    after: at.meta({ description: 'The last fire of the side that has the line until then.' }),
    before: at.meta({ description: 'The first fire of the other side.' }),
    waits: z
      .object({ reason: z.string(), advice: z.string() })
      .nullable()
      .meta({ description: 'Why no living worker could run it for the fleet, and what to do; null: one could.' }),
    isRunning: z.boolean().meta({ description: 'cron runs the line at this moment: that goes on.' }),
  })
  .meta({ id: 'CutoverChosen' });

const linesIn = z.array(z.string().min(1).max(100)).min(1).max(MOST_LINES).optional().meta({
  description:
    'These lines: all or none. Default: those whose differences are all explained, that have agreed three times, and that a living worker could run.',
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
  on: 'action',
  audit: 'cut over',
  missing: ['unknown_source', 'unknown_line'],
  body: z.strictObject({
    to: z.enum(SIDES),
    lines: linesIn,
    source: crontabIn,
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
  handle: async ({ db, deadMs, by, body: { reason, lines, ...wanted } }) =>
    await cutOver(db, { ...wanted, deadMs, lines: lines ?? 'green' }, by(reason)),
});

export const settleCutover = route({
  id: 'settleCutover',
  method: 'POST',
  path: '/v1/shadow/cutovers/:line/settle',
  tag: 'crontab',
  summary: 'Say whether a host has taken a cut-over, in the place of one that will not answer.',
  description: 'What the host says later counts more.',
  right: 'edit',
  on: 'action',
  audit: 'settle cut-over',
  missing: ['nothing_to_settle'],
  params: z.strictObject({ line: cronLineId }),
  body: z.strictObject({ answer: answerOfHost, reason: reasonIn }),
  answer: cutover,
  handle: async ({ db, by, params: { line }, body: { answer, reason } }) =>
    seenCutover(await settle(db, { line, answer }, by(reason))),
});
