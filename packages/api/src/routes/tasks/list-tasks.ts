import { TASK_STATES } from '@escapement/core';
import { parseSelector } from '@escapement/core/rights';
import { labelsSeen, taskState, taskView } from '@escapement/operations';
import { listTasksById, recentRuns, TASK_ORDERS, taskPage } from '@escapement/store';
import { z } from 'zod';
import { cursorOf, placeOf } from '../../http/cursor.ts';
import { route } from '../../http/route.ts';
import { taskListed } from '../../schemas/task.ts';
import { afterIn, countIn, pageOf } from '../../schemas/values.ts';

/** Runs of a sparkline, at most: they cost more than all else of a list. */
const RECENT = 30;

const place = z.object({ value: z.string(), id: z.uuid() });

const states = z
  .string()
  .transform((text) => text.split(','))
  .pipe(z.array(z.enum(TASK_STATES)))
  .optional()
  .meta({ description: `Only those in these states, with commas between: ${TASK_STATES.join(', ')}.` });

export const listTasks = route({
  id: 'listTasks',
  method: 'GET',
  path: '/v1/tasks',
  tag: 'tasks',
  summary: 'The tasks that whoever asks may see: how each stands, when it is due, and how its latest runs went.',
  right: 'read',
  on: () => 'some' as const,
  audit: null,
  query: z.strictObject({
    name: z
      .string()
      .max(250)
      .optional()
      .meta({ description: 'Only those of such a name; `*` stands for any characters, `?` for one.' }),
    label: z
      .string()
      .max(1000)
      .optional()
      .meta({ description: 'Only those with these labels: `team=shop,env=test|stage`.' }),
    state: states,
    pool: z.string().max(100).optional(),
    source: z.string().max(250).optional(),
    sort: z.enum(TASK_ORDERS).default('name').meta({ description: '`next`: the next due first.' }),
    order: z.enum(['asc', 'desc']).default('asc'),
    recent: countIn(0, RECENT, 0).meta({
      description: 'So many of the latest runs of each are told in `recentRuns`; `lastRun` is told in any case.',
    }),
    after: afterIn,
    limit: countIn(1, 500, 50),
  }),
  answer: pageOf(taskListed).meta({ id: 'TaskPage' }),
  handle: async ({ db, by, clock, query }) => {
    const { name, label, state, pool, source, sort, order, recent: most, after, limit } = query;
    const labels = labelsSeen(db, by(), label === undefined ? undefined : parseSelector(label));
    const places = await taskPage(
      db,
      { name, labels, states: state, pool, source },
      {
        order: sort,
        descending: order === 'desc',
        after: after === undefined ? null : placeOf(place, after),
        limit: limit + 1,
      },
    );
    const ids = places.slice(0, limit).map(({ id }) => id);
    const [tasks, recent] = await Promise.all([listTasksById(db, ids), recentRuns(db, ids, Math.max(most, 1))]);
    const last = places.length > limit ? places[limit - 1] : undefined;
    return {
      items: tasks.map((task) => ({
        ...taskView(task),
        state: taskState(task, clock.now()).state,
        lastRun: recent.get(task.id)?.last ?? null,
        recentRuns: recent.get(task.id)?.runs.slice(0, most) ?? [],
      })),
      next: last ? cursorOf(last) : null,
    };
  },
});
