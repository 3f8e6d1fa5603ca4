import { readInstant } from '@escapement/core';
import { parseSelector } from '@escapement/core/rights';
import {
  changeErrorGroup,
  countRedrive,
  type FailuresAsked,
  failureGroups,
  labelsSeen,
  MOST_FAILURES,
  redriveGroup,
} from '@escapement/operations';
import { z } from 'zod';
import { type RequestContext, route } from '../http/route.ts';
import { at, countIn, instantIn, reasonIn } from '../schemas/values.ts';

const which = {
  since: z
    .string()
    .max(40)
    .default('24h')
    .meta({ description: 'Runs scheduled then or later: ISO 8601, or a span such as 24h.' }),
  task: z.string().min(1).max(250).optional(),
};
const label = z.string().max(1000).optional().meta({ description: 'Only of tasks with these labels: `team=shop`.' });

const groupState = z.enum(['open', 'resolved', 'muted', 'back']);

const group = z
  .object({
    fingerprint: z.string(),
    name: z.string().nullable().meta({ description: 'The class of the error; null: none was thrown.' }),
    message: z.string().meta({ description: 'With `#` for numbers and ids.' }),
    example: z.string().meta({ description: 'What the last one of them said, with its numbers and ids.' }),
    frame: z.string().nullable().meta({ description: 'The first place of the stack that is no library.' }),
    count: z.int(),
    firstAt: at,
    lastAt: at,
    firstSeenAt: at.meta({
      description: 'When the first failure of all ended that the ledger has of these tasks, also before `since`.',
    }),
    firstRelease: z.string().nullable().meta({
      description:
        'The release (`ESCAPEMENT_RELEASE`) of the code that this first failure ran with; null: not known, or its task is not in the code of its worker.',
    }),
    releaseBefore: z.string().nullable().meta({
      description:
        'The release of the same application before `firstRelease`; null: not known, or there was none with a name.',
    }),
    lastRunId: z.string(),
    tasks: z
      .array(z.object({ name: z.string(), count: z.int() }))
      .meta({ description: 'Those that failed most, at most ten.' }),
    taskCount: z.int(),
    hours: z.array(z.object({ at, count: z.int() })),
    state: groupState.meta({ description: '`back`: it was resolved, and has failed since.' }),
    status: z
      .object({
        resolvedAt: at.nullable(),
        mutedUntil: at.nullable(),
        by: z.string(),
        note: z.string().nullable(),
        changedAt: at,
      })
      .nullable(),
  })
  .meta({ id: 'ErrorGroup' });

export const listErrors = route({
  id: 'listErrors',
  method: 'GET',
  path: '/v1/errors',
  tag: 'errors',
  summary: 'Failures for good, grouped by class of the error, first own place and message; the most frequent first.',
  description: `At most ${MOST_FAILURES} failures are counted: those that were scheduled last.`,
  right: 'read',
  on: ({ query: { task } }) => (task === undefined ? ('some' as const) : { task }),
  audit: null,
  query: z.strictObject({
    ...which,
    label,
    state: z
      .string()
      .transform((text) => text.split(','))
      .pipe(z.array(groupState))
      .optional()
      .meta({ description: 'Only those in these states, with commas between: `open`, `resolved`, `muted`, `back`.' }),
    newSince: instantIn
      .optional()
      .meta({ description: 'Only those of which nothing failed before: what is new since a release.' }),
    limit: countIn(1, 1000, 100),
  }),
  answer: z
    .object({
      items: z.array(group),
      total: z.int(),
      ofAllStates: z.int().meta({ description: 'How many there are, in whatever state and since whenever.' }),
      lookedBackTo: at.nullable(),
    })
    .meta({ id: 'ErrorGroups' }),
  handle: async (asked) => {
    const { db, by, clock, query } = asked;
    const labels = labelsSeen(db, by(), query.label === undefined ? undefined : parseSelector(query.label));
    const { state: states, newSince, limit } = query;
    const wanted = { ...timeOf(asked), labels, states, newSince, limit };
    const { groups: items, total, ofAll: ofAllStates, lookedBackTo } = await failureGroups(db, wanted, clock.now());
    return { items, total, ofAllStates, lookedBackTo };
  },
});

function timeOf({
  clock,
  query,
}: RequestContext & { query: { since: string; task?: string | undefined } }): FailuresAsked {
  const since = readInstant(query.since, { what: 'since', now: clock.now(), spans: 'ago', timeZone: 'UTC' });
  return { since, task: query.task };
}

const about = {
  tag: 'errors',
  params: z.object({ fingerprint: z.string().regex(/^[0-9a-f]{16}$/) }),
  right: 'rerun',
  on: 'action',
  missing: ['unknown_error'],
} as const;

const changed = z.object({ fingerprint: z.string() }).meta({ id: 'ErrorChanged' });

export const resolveError = route({
  ...about,
  id: 'resolveError',
  method: 'POST',
  path: '/v1/errors/:fingerprint/resolve',
  summary: 'Say that nothing is to be done about an error any more; if it fails later, it is back.',
  audit: 'resolve',
  body: z.strictObject({ reason: reasonIn }),
  answer: changed,
  handle: async ({ db, by, params, body }) => {
    await changeErrorGroup(db, params.fingerprint, { change: { kind: 'resolve' }, by: by(body.reason) });
    return params;
  },
});

export const muteError = route({
  ...about,
  id: 'muteError',
  method: 'POST',
  path: '/v1/errors/:fingerprint/mute',
  summary: 'Do not show an error until an instant.',
  audit: 'mute',
  body: z.strictObject({ reason: reasonIn, untilAt: instantIn }),
  answer: changed,
  handle: async ({ db, by, params, body: { reason, untilAt } }) => {
    await changeErrorGroup(db, params.fingerprint, { change: { kind: 'mute', untilAt }, by: by(reason) });
    return params;
  },
});

export const reopenError = route({
  ...about,
  id: 'reopenError',
  method: 'POST',
  path: '/v1/errors/:fingerprint/reopen',
  summary: 'Take back that an error is resolved or muted.',
  audit: 'reopen',
  body: z.strictObject({ reason: reasonIn }),
  answer: changed,
  handle: async ({ db, by, params, body }) => {
    await changeErrorGroup(db, params.fingerprint, { change: { kind: 'reopen' }, by: by(body.reason) });
    return params;
  },
});

export const countRedriveOfError = route({
  id: 'countRedriveOfError',
  method: 'GET',
  path: '/v1/errors/:fingerprint/redrive',
  tag: 'errors',
  summary: 'How many runs a `POST` of this would run again. Nothing is done.',
  description: 'Of tasks that whoever asks may see; at most 10,000.',
  params: about.params,
  right: 'read',
  on: ({ query: { task } }) => (task === undefined ? ('some' as const) : { task }),
  audit: null,
  missing: ['unknown_error'],
  query: z.strictObject(which),
  answer: z.object({ total: z.int() }).meta({ id: 'RedriveCount' }),
  handle: async (asked) => {
    const { db, by, params } = asked;
    const labels = labelsSeen(db, by());
    return { total: await countRedrive(db, params.fingerprint, { ...timeOf(asked), labels }) };
  },
});

export const redriveError = route({
  ...about,
  id: 'redriveError',
  method: 'POST',
  path: '/v1/errors/:fingerprint/redrive',
  summary: 'Run again what failed with an error and was not run again yet. `GET /v1/bulk/ID` tells how far it is.',
  audit: 'ask',
  query: z.strictObject(which),
  body: z.strictObject({ reason: reasonIn }),
  status: 202,
  answer: z.object({ id: z.string() }).meta({ id: 'ErrorRedriven' }),
  handle: async (asked) => {
    const { db, by, params, body, header } = asked;
    const id = await redriveGroup(db, params.fingerprint, timeOf(asked), by(body.reason));
    header('location', `/v1/bulk/${id}`);
    return { id };
  },
});
