import { parseSelector } from '@escapement/core/rights';
import { labelsSeen, requireTask } from '@escapement/operations';
import { heldTasks, listHeldRuns as list } from '@escapement/store';
import { z } from 'zod';
import { cursorOf, placeOf } from '../../http/cursor.ts';
import { type RequestContext, route } from '../../http/route.ts';
import { afterIn, at, countIn, instantIn, pageOf } from '../../schemas/values.ts';

const which = { task: z.string().min(1).max(250).optional(), label: z.string().max(1000).optional() };

interface Which extends Pick<RequestContext, 'db' | 'by'> {
  query: { task?: string | undefined; label?: string | undefined };
}

/** Whose runs are asked for, cut to what whoever asks may see. Throws `unknown_task`. */
async function chosenBy({ db, by, query: { task, label } }: Which) {
  const asked = label === undefined ? undefined : parseSelector(label);
  if (task !== undefined) await requireTask(db, task);
  return { task, labels: task === undefined ? labelsSeen(db, by(), asked) : asked };
}

const shown = {
  method: 'GET',
  tag: 'recovery',
  right: 'read',
  audit: null,
  missing: ['unknown_task'],
  on: ({ query: { task } }: Which) => (task === undefined ? ('some' as const) : { task }),
} as const;

export const listHeldTasks = route({
  ...shown,
  id: 'listHeldTasks',
  path: '/v1/recovery',
  summary: 'What is held after an outage until somebody decides, by task, the oldest first.',
  description:
    'To let runs go or to drop them: `POST /v1/bulk` with `run_held` or `drop_held`, of all, of a task, or of single `runs`. `order` of `run_held` says which tasks come first.',
  query: z.strictObject(which),
  answer: z
    .object({
      items: z.array(
        z
          .object({
            task: z.string(),
            taskId: z.string(),
            description: z.string().nullable().meta({ description: 'What the task is for.' }),
            priority: z.int().meta({ description: 'Of the task: those with a higher one go on first.' }),
            held: z.int(),
            reason: z.string().nullable().meta({ description: 'Why the newest of them is held.' }),
            firstAt: at,
            lastAt: at,
          })
          .meta({ id: 'HeldTask' }),
      ),
    })
    .meta({ id: 'HeldTasks' }),
  handle: async (asked) => ({ items: await heldTasks(asked.db, await chosenBy(asked)) }),
});

const place = z.object({ id: z.uuid(), scheduledFor: instantIn, priority: z.int() });

export const listHeldRuns = route({
  ...shown,
  id: 'listHeldRuns',
  path: '/v1/recovery/runs',
  summary: 'The runs that are held, in the order in which `run_held` lets them go: by priority, then the oldest first.',
  description:
    'With `order`, `run_held` lets those of the tasks in it go before all others, one task after the other; these stay in the order of this list.',
  query: z.strictObject({ ...which, after: afterIn, limit: countIn(1, 1000, 100) }),
  answer: pageOf(
    z
      .object({
        id: z.string(),
        task: z.string(),
        scheduledFor: at,
        key: z.string(),
        priority: z.int().meta({ description: 'Of its task.' }),
        reason: z.string().nullable().meta({ description: 'Why it is held.' }),
        newest: z.boolean().meta({ description: 'No later run of its task is held: `latestOnly` lets it go.' }),
      })
      .meta({ id: 'HeldRun' }),
  ).meta({ id: 'HeldRuns' }),
  handle: async (asked) => {
    const { after, limit } = asked.query;
    const behind = after === undefined ? undefined : placeOf(place, after);
    const items = await list(asked.db, {
      ...(await chosenBy(asked)),
      after: behind,
      limit,
    });
    const last = items.length === limit ? items.at(-1) : undefined;
    const next = last && { id: last.id, scheduledFor: last.scheduledFor.toISOString(), priority: last.priority };
    return { items, next: next ? cursorOf(next) : null };
  },
});
