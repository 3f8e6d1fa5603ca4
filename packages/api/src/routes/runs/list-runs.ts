import { parseRunQuery, RUN_STATES } from '@escapement/core';
import { labelsSeen, seesPayloads } from '@escapement/operations';
import { countRuns as count, listRuns as list, lookedBackTo, type RunFilter } from '@escapement/store';
import { z } from 'zod';
import { cursorOf, placeOf } from '../../http/cursor.ts';
import { type ApiContext, type Asked, route } from '../../http/route.ts';
import { run, runState } from '../../schemas/run.ts';
import { afterIn, at, countIn, flagIn, pageOf } from '../../schemas/values.ts';

/** Counted so far; beyond it is only told that there are more. */
const MOST_COUNTED = 10_000;

const asked = {
  query: z
    .string()
    .max(4000)
    .default('')
    .meta({ description: 'As in `state:failed task:nightly-* key:eu since:-24h error:ETIMEDOUT`. Empty: all.' }),
  timeZone: z.string().max(64).default('UTC').meta({ description: 'Of instants in the query without an offset.' }),
  planned: flagIn.meta({
    description: 'Also runs that are planned for later, where the query names neither states nor an end.',
  }),
};

type Queried = Pick<ApiContext, 'db' | 'clock'> &
  Pick<Asked<never, never, never>, 'by'> & { query: { query: string; timeZone: string; planned: boolean } };

const place = z.union([z.object({ before: z.uuid() }), z.object({ until: z.iso.datetime() })]);

/** Of a task that is named somebody may see all, or is refused. */
function shown({ clock, query: { query, timeZone } }: Queried) {
  const task = onlyTask(parseRunQuery(query, { now: clock.now(), timeZone }).tasks);
  return task === undefined ? ('some' as const) : { task };
}

/** Of one name without a `*`. */
function onlyTask(tasks: readonly string[] = []): string | undefined {
  const [only, another] = tasks;
  return another === undefined && !only?.includes('*') ? only : undefined;
}

const about = { tag: 'runs', right: 'read', on: shown, audit: null } as const;

export const listRuns = route({
  ...about,
  id: 'listRuns',
  method: 'GET',
  path: '/v1/runs',
  summary: 'Runs, the latest scheduled first.',
  query: z.strictObject({ ...asked, after: afterIn, limit: countIn(1, 1000, 50) }),
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
    const filter = {
      ...filterOf(request),
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

const counted = z.object({
  count: z.int(),
  exact: z.boolean().meta({ description: `False: there are more than ${MOST_COUNTED}.` }),
});

export const countRuns = route({
  ...about,
  id: 'countRuns',
  method: 'GET',
  path: '/v1/runs/counts',
  summary: `How many runs match, by state; counted up to ${MOST_COUNTED} of each.`,
  query: z.strictObject(asked),
  answer: z
    .object({ states: z.partialRecord(runState, counted), lookedBackTo: at.nullable() })
    .meta({ id: 'RunCounts' }),
  handle: async (request) => {
    const { db } = request;
    const { states = RUN_STATES, ...filter } = { ...filterOf(request), limit: MOST_COUNTED + 1 };
    const counts = await Promise.all(
      states.map(async (state) => {
        const found = await count(db, { ...filter, states: [state] });
        return [state, { count: Math.min(found, MOST_COUNTED), exact: found <= MOST_COUNTED }] as const;
      }),
    );
    const back = await lookedBackTo(db, filter);
    return { states: Object.fromEntries(counts.filter(([, { count }]) => count > 0)), lookedBackTo: back };
  },
});

/** What is asked for, cut to what whoever asks may see. */
function filterOf({ db, by, clock, query: { query, timeZone, planned } }: Queried): Omit<RunFilter, 'limit'> {
  const now = clock.now();
  const { tasks, labels, ...filter } = parseRunQuery(query, { now, timeZone });
  const seen = labelsSeen(db, by(), labels);
  const hides = !planned && filter.states === undefined && filter.until === undefined;
  const only = onlyTask(tasks);
  return {
    ...filter,
    reasonsOnly: !seesPayloads(by(), db.namespace),
    ...(only !== undefined ? { taskName: only } : tasks ? { tasksLike: tasks } : {}),
    ...(seen ? { labels: seen } : {}),
    ...(hides ? { until: new Date(now.getTime() + 1) } : {}),
  };
}

function behind(after: string): Pick<RunFilter, 'before' | 'until'> {
  const read = placeOf(place, after);
  return 'before' in read ? read : { until: new Date(read.until) };
}
