import { instantText, RUN_STATES } from '@escapement/core';
import { labelsSeen } from '@escapement/operations';
import {
  countRuns as count,
  listRuns as list,
  longestRunning,
  lookedBackTo,
  type RunFilter,
  runsAmong,
} from '@escapement/store';
import { z } from 'zod';
import { cursorOf, placeOf } from '../../http/cursor.ts';
import { route } from '../../http/route.ts';
import { run, runState } from '../../schemas/run.ts';
import { afterIn, at, countIn, flagIn, pageOf } from '../../schemas/values.ts';
import { aboutRuns, filterOf, listedOf, plannedIn, runsAsked } from './runs-asked.ts';

/** Counted so far; beyond it is only told that there are more. */
const MOST_COUNTED = 10_000;

/** So many fit into a URL. */
const MOST_IDS = 100;

const idsIn = z
  .string()
  .max(MOST_IDS * 40)
  .transform((text) => text.split(','))
  .pipe(z.array(z.uuid()).max(MOST_IDS))
  .optional()
  .meta({ description: `Only these, in this order: ids in full, with commas between, at most ${MOST_IDS}.` });

const place = z.union([z.object({ before: z.uuid() }), z.object({ until: instantText })]);

export const listRuns = route({
  ...aboutRuns,
  id: 'listRuns',
  method: 'GET',
  path: '/v1/runs',
  summary: 'Runs, the latest scheduled first.',
  query: z.strictObject({ ...runsAsked, planned: plannedIn, ids: idsIn, after: afterIn, limit: countIn(1, 1000, 50) }),
  answer: pageOf(run)
    .extend({
      lookedBackTo: at.nullable().meta({
        description:
          'By origin or error only the latest runs were looked through, back to there; `next` goes on. Null: all were.',
      }),
    })
    .meta({ id: 'RunPage' }),
  handle: async (request) => {
    const { db, query } = request;
    if (query.ids) {
      const items = await runsAmong(db, filterOf(request), query.ids);
      return { items, next: null, lookedBackTo: null };
    }
    const filter = {
      ...listedOf(request),
      limit: query.limit,
      ...(query.after === undefined ? {} : behind(query.after)),
    };
    const items = await list(db, filter);
    if (items.length === query.limit) {
      const last = items.at(-1);
      return { items, next: last ? cursorOf({ before: last.id }) : null, lookedBackTo: null };
    }
    const back = await lookedBackTo(db, filter);
    return { items, next: back ? cursorOf({ until: back.toISOString() }) : null, lookedBackTo: back };
  },
});

const running = run
  .extend({
    usual: z.object({ p50Ms: z.number(), p99Ms: z.number(), runs: z.int() }).nullable().meta({
      description:
        'How long runs of its task took, in the latest hours that are over: half of them at most `p50Ms`, 99 of 100 at most `p99Ms`, both at most 5 % off. Null: none is known.',
    }),
  })
  .meta({ id: 'RunningRun' });

export const listLongestRuns = route({
  id: 'listLongestRuns',
  method: 'GET',
  path: '/v1/runs/longest',
  tag: 'runs',
  summary: 'The runs that have been running for longest, of all that run now.',
  right: 'read',
  on: () => 'some' as const,
  audit: null,
  query: z.strictObject({
    limit: countIn(1, 100, 10),
    stuck: flagIn.meta({
      description:
        'Only those that have run for more than twice as long as 99 of 100 runs of their task, where 20 or more are known; the one first that is furthest beyond what is usual.',
    }),
  }),
  answer: z.object({ items: z.array(running) }).meta({ id: 'LongestRuns' }),
  handle: async ({ db, by, query: { limit, stuck } }) => ({
    items: await longestRunning(db, { labels: labelsSeen(db, by()), stuckOnly: stuck, limit }),
  }),
});

const counted = z.object({
  count: z.int(),
  exact: z.boolean().meta({ description: `False: there are more than ${MOST_COUNTED}.` }),
});

export const countRuns = route({
  ...aboutRuns,
  id: 'countRuns',
  method: 'GET',
  path: '/v1/runs/counts',
  summary: `How many runs match, by state; counted up to ${MOST_COUNTED} of each.`,
  query: z.strictObject({ ...runsAsked, planned: plannedIn }),
  answer: z
    .object({ states: z.partialRecord(runState, counted), lookedBackTo: at.nullable() })
    .meta({ id: 'RunCounts' }),
  handle: async (request) => {
    const { db } = request;
    const { states = RUN_STATES, ...filter } = { ...listedOf(request), limit: MOST_COUNTED + 1 };
    const [found, back] = await Promise.all([count(db, filter, states), lookedBackTo(db, filter)]);
    const counts = [...found]
      .filter(([, runs]) => runs > 0)
      .map(([state, runs]) => [state, { count: Math.min(runs, MOST_COUNTED), exact: runs <= MOST_COUNTED }] as const);
    return { states: Object.fromEntries(counts), lookedBackTo: back };
  },
});

function behind(after: string): Pick<RunFilter, 'before' | 'until'> {
  const read = placeOf(place, after);
  return 'before' in read ? read : { until: new Date(read.until) };
}
