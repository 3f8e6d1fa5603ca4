import { parseRunQuery } from '@escapement/core/run-query';
import { labelsSeen, seesPayloads } from '@escapement/operations';
import type { RunFilter } from '@escapement/store';
import { z } from 'zod';
import type { ApiContext, Asked } from '../../http/route.ts';
import { flagIn } from '../../schemas/values.ts';

/** Which runs, in the query of a request. */
export const runsAsked = {
  query: z
    .string()
    .max(4000)
    .default('')
    .meta({ description: 'As in `state:failed task:nightly-* key:eu since:-24h error:ETIMEDOUT`. Empty: all.' }),
  timeZone: z.string().max(64).default('UTC').meta({ description: 'Of instants in the query without an offset.' }),
};

export const plannedIn = flagIn.meta({
  description: 'Also runs that are planned for later, where the query names neither states nor an end.',
});

type Queried = Pick<ApiContext, 'db' | 'clock'> &
  Pick<Asked<never, never, never>, 'by'> & { query: { query: string; timeZone: string } };

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

export const aboutRuns = { tag: 'runs', right: 'read', on: shown, audit: null } as const;

/** What is asked for, cut to what whoever asks may see. */
export function filterOf({ db, by, clock, query: { query, timeZone } }: Queried): Omit<RunFilter, 'limit'> {
  const { tasks, labels, ...filter } = parseRunQuery(query, { now: clock.now(), timeZone });
  const seen = labelsSeen(db, by(), labels);
  const only = onlyTask(tasks);
  return {
    ...filter,
    reasonsOnly: !seesPayloads(by(), db.namespace),
    ...(only !== undefined ? { taskName: only } : tasks ? { tasksLike: tasks } : {}),
    ...(seen ? { labels: seen } : {}),
  };
}

/** The same without runs that are planned for later, unless they were asked for. */
export function listedOf(asked: Queried & { query: { planned: boolean } }): Omit<RunFilter, 'limit'> {
  const filter = filterOf(asked);
  const hides = !asked.query.planned && filter.states === undefined && filter.until === undefined;
  return hides ? { ...filter, until: new Date(asked.clock.now().getTime() + 1) } : filter;
}
