import { type EscapementError, RESOLUTIONS } from '@escapement/core';
import { parseSelector } from '@escapement/core/rights';
import {
  askBulk,
  type BulkAsked,
  bulkResults,
  bulkState,
  filterOfQuery,
  haltBulk,
  previewBulk,
  type Reading,
  requestSeenBy,
  requestsSeenBy,
  requireRequest,
  seesPayloads,
} from '@escapement/operations';
import type { RequestView } from '@escapement/store';
import { z } from 'zod';
import { cursorOf, placeOf } from '../http/cursor.ts';
import { ProblemError } from '../http/problem.ts';
import { type Asked, type RequestContext, route } from '../http/route.ts';
import { principalOut, run, runState } from '../schemas/run.ts';
import { afterIn, at, countIn, instantIn, pageOf, reasonIn } from '../schemas/values.ts';

const task = z.string().min(1).max(250).optional().meta({ description: 'Of this task only. Default: of all.' });
const label = z
  .string()
  .max(1000)
  .transform(parseSelector)
  .optional()
  .meta({ description: 'Of the tasks that have these labels when it is asked for: `team=shop`.' });

const chosenRuns = {
  query: z.string().max(4000).optional().meta({
    description:
      'Which runs, as `GET /v1/runs` takes it: `state:failed task:nightly-* error:ETIMEDOUT`. In place of `task`, `label`, `states`, `since` and `until`. It is looked for in all runs, not only in the latest.',
  }),
  timeZone: z.string().max(64).default('UTC').meta({ description: 'Of instants in the query without an offset.' }),
  task,
  label,
  states: z.array(runState).min(1).optional().meta({ description: 'Default: all that the act is possible for.' }),
  since: instantIn.optional(),
  until: instantIn.optional().meta({ description: 'Default: now.' }),
  limit: z.int().min(1).optional().meta({ description: 'At most so many, the oldest first. Default: all.' }),
};
const labelled = {
  label: z
    .string()
    .max(1000)
    .transform(parseSelector)
    .meta({ description: 'The tasks that have these labels: `team=shop`.' }),
};
const taskNames = z
  .array(
    z
      .string()
      .max(250)
      .regex(/^[^*]+$/, 'the name of a task'),
  )
  .min(1)
  .max(1000)
  .optional();
const held = {
  task,
  tasks: taskNames.meta({ description: 'Of these tasks only, by their names, in place of `task`. Default: of all.' }),
  label,
  latestOnly: z
    .boolean()
    .default(false)
    .meta({ description: 'Only the newest of each task; the older ones end as missed.' }),
  runs: z
    .array(z.uuid())
    .min(1)
    .max(1000)
    .optional()
    .meta({ description: 'Only these, by their ids: rows of `GET /v1/recovery/runs`. The others stay held.' }),
};

function isUnique(names: readonly string[] | undefined): boolean {
  return names === undefined || new Set(names).size === names.length;
}

const action = z
  .discriminatedUnion('action', [
    z.strictObject({ action: z.literal('cancel'), ...chosenRuns }),
    z.strictObject({ action: z.literal('rerun'), ...chosenRuns, sameVersion: z.boolean().default(false) }),
    z.strictObject({ action: z.literal('redrive'), ...chosenRuns }),
    z.strictObject({
      action: z.literal('resolve'),
      ...chosenRuns,
      as: z.enum(RESOLUTIONS).meta({ description: 'What became of them. `reason` has to say how one knows.' }),
    }),
    z.strictObject({
      action: z.literal('run_held'),
      ...held,
      spacingMs: z
        .number()
        .min(0)
        .default(0)
        .meta({ description: 'The time between two of them: each is let go a minute before it is due.' }),
      fromAt: instantIn.nullable().default(null).meta({
        description: 'When the first of them is due. Default: at once. Those that `latestOnly` drops end at once.',
      }),
      order: taskNames.refine(isUnique, 'each task once').meta({
        description:
          'In which order tasks come, by name: the runs of the first one go first, then those of the second, and so on; then those of all others, by priority. Within a task the oldest first. It is about no other runs than without it: a task that is named may have nothing held. Without `spacingMs` they are due a millisecond apart, and in a pool in which tasks have a priority, workers still take the more urgent of those that are due. Default: all by priority.',
        uniqueItems: true,
      }),
    }),
    z.strictObject({ action: z.literal('drop_held'), ...held }),
    z.strictObject({ action: z.literal('pause'), ...labelled, untilAt: instantIn.nullable().default(null) }),
    z.strictObject({ action: z.literal('resume'), ...labelled }),
    z.strictObject({ action: z.literal('trigger'), ...labelled }),
  ])
  .meta({
    id: 'BulkAction',
    description:
      '`redrive`: what failed for good and was not run again yet. `resolve`: runs that are `unknown`. `run_held`, `drop_held`: what waits for a person after an outage.',
  });

type Action = z.output<typeof action>;

/** What is asked for. Throws `bad_query` for a query beside what it has itself. */
function askedOf({ db, by, clock }: Pick<RequestContext, 'db' | 'by' | 'clock'>, given: Action): BulkAsked {
  const { label: labels, ...rest } = given;
  if ('tasks' in rest && rest.tasks !== undefined) return ofTasks(rest, labels);
  if (!('query' in rest) || rest.query === undefined) return { ...rest, ...(labels ? { labels } : {}) } as BulkAsked;
  const { query, timeZone, task: name, states, since, until, ...others } = rest;
  const beside = Object.entries({ task: name, label: labels, states, since, until }).find(([, value]) => value);
  if (beside)
    throw new ProblemError({
      ...{ code: 'bad_query', detail: `query and ${beside[0]} are both given` },
      fix: 'say it in the query: task:, label:, state:, since:, until:',
    });
  const filter = filterOfQuery(query, { now: clock.now(), timeZone });
  return { ...others, ...filter, reasonsOnly: !seesPayloads(by(), db.namespace) } as BulkAsked;
}

/** Held runs of several tasks. Throws `bad_query` for one task beside them. */
function ofTasks(given: Omit<Extract<Action, { tasks?: unknown }>, 'label'>, labels: Action['label']): BulkAsked {
  const { tasks: names, task: name, ...others } = given;
  if (name !== undefined)
    throw new ProblemError({
      ...{ code: 'bad_query', detail: 'task and tasks are both given' },
      fix: 'put the one among the others',
    });
  return { ...others, names, ...(labels ? { labels } : {}) } as BulkAsked;
}

const RIGHT_WORDS = 'The right is that of the act, on each task that it is about.';

/** What is shown of it beforehand. */
function on(asked: Pick<Asked<never, never, Action>, 'db' | 'by' | 'clock' | 'body'>): Reading['of'] {
  const { task: name, labels, names } = { names: undefined, ...askedOf(asked, asked.body) };
  if (name !== undefined) return { task: name };
  if (names) return { names, labels };
  return labels ? { labels } : null;
}

export const previewBulkAction = route({
  id: 'previewBulkAction',
  method: 'POST',
  path: '/v1/bulk/preview',
  tag: 'bulk',
  summary: 'How many runs or tasks an act would be done to, and the first of them. Nothing is done.',
  right: 'read',
  on,
  audit: null,
  missing: ['unknown_task'],
  body: action,
  answer: z
    .object({ total: z.int(), dropped: z.int(), first: z.array(run), firstTasks: z.array(z.string()) })
    .meta({ id: 'BulkPreview' }),
  handle: async (asked) => await previewBulk(asked.db, askedOf(asked, asked.body)),
});

export const startBulkAction = route({
  id: 'startBulkAction',
  method: 'POST',
  path: '/v1/bulk',
  tag: 'bulk',
  summary: 'Have an act done to many runs or tasks. A scheduler carries it out, 100 at a time, each once.',
  description: `${RIGHT_WORDS} \`Location\` names the request, which tells how far it is.`,
  right: 'rerun',
  on: 'action',
  audit: 'ask',
  body: z.strictObject({ reason: reasonIn, action }),
  status: 202,
  answer: z.object({ id: z.string() }).meta({ id: 'BulkStarted' }),
  handle: async (asked) => {
    const { db, by, body, header } = asked;
    const id = await askBulk(db, askedOf(asked, body.action), by(body.reason));
    header('location', `/v1/bulk/${id}`);
    return { id };
  },
});

const counts = z
  .object({
    total: z.int(),
    done: z.int(),
    dropped: z.int(),
    passed: z.int().meta({ description: 'Those that had moved on by then.' }),
    refusedCount: z.int(),
    refused: z.array(z.object({ runId: z.string().nullable(), taskName: z.string(), why: z.string() })),
  })
  .nullable();

const bulkRequest = z
  .object({
    id: z.string(),
    action: z.unknown(),
    askedBy: principalOut,
    reason: z.string().nullable(),
    askedAt: at,
    answeredAt: at.nullable(),
    takenBy: z.string().nullable(),
    state: z.enum(['waiting', 'running', 'paused', 'done', 'cancelled', 'failed']),
    counts,
    error: z.object({ code: z.string(), message: z.string(), fix: z.string().nullable() }).nullable(),
  })
  .meta({ id: 'BulkRequest' });

function answerOf(request: RequestView, now: Date) {
  const { id, request: asked, askedBy, reason, askedAt, answeredAt, takenBy } = request;
  const requestStatus = bulkState(request, now);
  const counts =
    'progress' in requestStatus ? requestStatus.progress : 'result' in requestStatus ? requestStatus.result : null;
  const state =
    requestStatus.state === 'done' && requestStatus.result.cancelled ? ('cancelled' as const) : requestStatus.state;
  return {
    ...{ id, action: asked, askedBy, reason, askedAt, answeredAt, takenBy, state },
    counts: counts && {
      total: counts.total,
      done: counts.done,
      dropped: counts.dropped,
      passed: counts.passed,
      refusedCount: counts.refusedCount,
      refused: counts.refused,
    },
    error: requestStatus.state === 'failed' ? wordsOf(requestStatus.error) : null,
  };
}

function wordsOf({ code, message, fix }: EscapementError) {
  return { code, message, fix: fix ?? null };
}

const SEEN_WORDS =
  'Seen by who asked for it, and by whoever may see all tasks that it is about: without tasks, all of the namespace.';

export const getBulkRequest = route({
  id: 'getBulkRequest',
  method: 'GET',
  path: '/v1/bulk/:id',
  tag: 'bulk',
  summary: 'How far a bulk action is, and what came of it. Kept for a day.',
  description: SEEN_WORDS,
  right: 'read',
  on: () => 'some',
  audit: null,
  missing: ['unknown_request'],
  params: z.object({ id: z.uuid() }),
  answer: bulkRequest,
  handle: async ({ db, by, clock, params }) => answerOf(await requestSeenBy(db, by(), params.id), clock.now()),
});

export const listBulkRequests = route({
  id: 'listBulkRequests',
  method: 'GET',
  path: '/v1/bulk',
  tag: 'bulk',
  summary: 'The bulk actions of the last day, the latest first.',
  description: SEEN_WORDS,
  right: 'read',
  on: () => 'some',
  audit: null,
  query: z.strictObject({ limit: countIn(1, 1000, 50) }),
  answer: z.object({ items: z.array(bulkRequest) }).meta({ id: 'BulkRequests' }),
  handle: async ({ db, by, clock, query }) => {
    const requests = await requestsSeenBy(db, by(), query.limit);
    return { items: requests.map((each) => answerOf(each, clock.now())) };
  },
});

const resultPlace = z.object({ afterId: z.int() });

const bulkResult = z
  .object({
    at,
    outcome: z
      .enum(['done', 'dropped'])
      .meta({ description: '`dropped`: a held run that ended as missed, for a newer one that goes on.' }),
    runId: z.string().nullable().meta({ description: 'Null: it was done to a task.' }),
    taskName: z.string().nullable().meta({ description: 'Null: the run was pruned.' }),
    newRunId: z.string().nullable().meta({
      description: 'The run that was made: the rerun of a run, the run of a task that was triggered. Null: none was.',
    }),
  })
  .meta({ id: 'BulkResult' });

export const listBulkResults = route({
  id: 'listBulkResults',
  method: 'GET',
  path: '/v1/bulk/:id/results',
  tag: 'bulk',
  summary: 'The runs or tasks that a bulk action was done to so far, in the order in which it was done.',
  description: `${SEEN_WORDS} Of those that were refused the first 100 are in \`counts\`; of those that had moved on their number is. While the act goes on, one that is written at the same moment may be missing.`,
  right: 'read',
  on: () => 'some',
  audit: null,
  missing: ['unknown_request'],
  params: z.object({ id: z.uuid() }),
  query: z.strictObject({ after: afterIn, limit: countIn(1, 1000, 50) }),
  answer: pageOf(bulkResult).extend({ counts }).meta({ id: 'BulkResultsPage' }),
  handle: async ({ db, by, clock, params, query: { after, limit } }) => {
    const { afterId } = after === undefined ? { afterId: null } : placeOf(resultPlace, after);
    const { items, request } = await bulkResults(db, by(), { id: params.id, afterId, limit });
    const last = items.at(-1);
    return {
      items: items.map(({ id: _, ...item }) => item),
      next: items.length === limit && last ? cursorOf({ afterId: last.id }) : null,
      counts: answerOf(request, clock.now()).counts,
    };
  },
});

const halting = {
  method: 'POST',
  tag: 'bulk',
  right: 'rerun',
  on: 'action',
  missing: ['unknown_request'],
  params: z.object({ id: z.uuid() }),
  body: z.strictObject({ reason: reasonIn }),
  answer: bulkRequest,
} as const;

const HALT_WORDS =
  'The right is that of the act. What was chosen already, at most 100 runs or tasks, is done; nothing is taken back.';

type Halting = Asked<{ id: string }, unknown, { reason?: string | undefined }>;

async function halted({ db, by, clock, params, body }: Halting, halt: 'paused' | 'cancelled' | null) {
  await haltBulk(db, params.id, halt, by(body.reason));
  return answerOf(await requireRequest(db, params.id), clock.now());
}

export const pauseBulkRequest = route({
  ...halting,
  id: 'pauseBulkRequest',
  path: '/v1/bulk/:id/pause',
  summary: 'Have a bulk action wait until somebody goes on with it.',
  description: HALT_WORDS,
  audit: 'pause',
  handle: async (asked) => await halted(asked, 'paused'),
});

export const resumeBulkRequest = route({
  ...halting,
  id: 'resumeBulkRequest',
  path: '/v1/bulk/:id/resume',
  summary: 'Go on with a bulk action that was paused. What has a rate goes on with it from now on.',
  description: 'The right is that of the act.',
  audit: 'resume',
  handle: async (asked) => await halted(asked, null),
});

export const cancelBulkRequest = route({
  ...halting,
  id: 'cancelBulkRequest',
  path: '/v1/bulk/:id/cancel',
  summary: 'End a bulk action where it is: it becomes `cancelled` once a scheduler has seen that.',
  description: HALT_WORDS,
  audit: 'cancel',
  handle: async (asked) => await halted(asked, 'cancelled'),
});
