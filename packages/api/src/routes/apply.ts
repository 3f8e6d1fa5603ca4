import { TASK_FORMATS } from '@escapement/formats';
import {
  type ApplyPlan,
  applyAlone,
  applyProblems,
  checkHeld,
  checkPrune,
  effectsOf,
  leftOf,
  permitApply,
  planApply,
  pruneDoubtOf,
  writeApply,
  writesOf,
} from '@escapement/operations';
import { z } from 'zod';
import { ProblemError } from '../http/problem.ts';
import { type Asked, route } from '../http/route.ts';
import { definitionGiven, effect, undoneEdit } from '../schemas/task.ts';
import { reasonIn } from '../schemas/values.ts';

const MOST_TASKS = 100_000;
const MAX_BODY_BYTES = 16 * 1024 * 1024;
const MOST_PROBLEMS = 1000;
const DAYS = 7;

const plannedWrite = z
  .object({
    action: z.enum(['create', 'update', 'delete']),
    version: z.int().nullable().meta({ description: 'The version that it replaces or deletes; null: there is none.' }),
    definition: z.string().max(64).nullable().meta({ description: 'A digest of what it saves; null: it deletes.' }),
  })
  .meta({ id: 'PlannedWrite' });

const planOf = z
  .record(z.string(), plannedWrite)
  .meta({ description: 'What is written, by the name of the task. `POST /v1/apply` takes it as `plan`.' });

const documents = {
  tasks: z
    .array(definitionGiven)
    .max(MOST_TASKS)
    .meta({ description: 'All tasks of the set, as the documents of `escapement apply` have them.' }),
  places: z
    .array(z.string().max(5000))
    .max(MOST_TASKS)
    .optional()
    .meta({ description: 'What problems call each of the tasks: `shop.yaml:12`. Default: `tasks.0`.' }),
  format: z.enum(TASK_FORMATS).default('files').meta({
    description:
      'Who says what the tasks are. Files say all of it. What another scheduler says nothing of stays as people have set it. The source of the tasks is `FORMAT:SET`.',
  }),
  atFirst: z
    .array(z.record(z.string(), z.json()))
    .max(MOST_TASKS)
    .optional()
    .meta({ description: 'Not of files: what each of the tasks has besides where it is new.' }),
  paused: z
    .array(z.string().max(200))
    .max(MOST_TASKS)
    .optional()
    .meta({ description: 'Names of tasks that are paused from the first moment on where they are new.' }),
  set: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/)
    .default('default')
    .meta({ description: 'The set of tasks that is defined completely. Its tasks have the source `FORMAT:SET`.' }),
  prune: z.boolean().default(false).meta({ description: 'Delete tasks of the set that are not among these.' }),
  allowPrune: z
    .int()
    .min(0)
    .max(1_000_000)
    .optional()
    .meta({ description: 'With `prune`: so many may be deleted. Needed where more than half of the set goes.' }),
  adopt: z
    .boolean()
    .default(false)
    .meta({ description: 'Take over tasks that belong to code, a crontab, the API or another set.' }),
  days: z.int().min(1).max(366).default(DAYS).meta({ description: 'Fires of so many days are compared.' }),
  timeZone: z
    .string()
    .max(64)
    .default('UTC')
    .meta({ description: 'Of the days in which fires move, where a schedule has none.' }),
};

const documentsIn = z.strictObject(documents);
const applyIn = documentsIn.extend({ plan: planOf.optional(), reason: reasonIn });

const applyAnswer = {
  effects: z.array(
    effect.extend({
      undoes: z.array(undoneEdit).meta({ description: 'What people have edited of it, and the documents take back.' }),
    }),
  ),
  unchanged: z.int().meta({ description: 'Tasks that are as the documents say already.' }),
  left: z.array(z.string()).meta({ description: 'Tasks of the set that are not in the documents.' }),
};

type Asking = Asked<unknown, unknown, z.output<typeof documentsIn>>;

export const previewApply = route({
  id: 'previewApply',
  method: 'POST',
  path: '/v1/apply/plan',
  tag: 'apply',
  summary: 'What documents of tasks would create, change and delete, occurrence by occurrence. Nothing is written.',
  right: 'edit',
  on: () => null,
  audit: null,
  maxBodyBytes: MAX_BODY_BYTES,
  body: documentsIn,
  answer: z
    .object({
      ...applyAnswer,
      doubt: z.string().nullable().meta({ description: 'Why `allowPrune` is needed; null: it is not.' }),
      plan: planOf,
    })
    .meta({ id: 'ApplyPlan' }),
  handle: async (asked) => {
    const plan = await planned(asked);
    await refuseProblems(asked, plan);
    return {
      ...(await answerOf(asked, plan)),
      doubt: pruneDoubtOf(plan, asked.body.allowPrune),
      plan: Object.fromEntries(writesOf(plan, plan)),
    };
  },
});

export const applyTasks = route({
  id: 'applyTasks',
  method: 'POST',
  path: '/v1/apply',
  tag: 'apply',
  summary: 'Make the tasks of a set what documents say. It may be repeated at any time.',
  description:
    'With `plan`, as `POST /v1/apply/plan` has answered it, nothing is done that was not planned (409 `plan_outdated`, which says what differs). All is checked before anything is written; then each task is written by itself. Of one set, an apply waits for the one before. What breaks off in between is repeated with the same body.',
  right: 'edit',
  on: 'action',
  audit: 'save',
  maxBodyBytes: MAX_BODY_BYTES,
  body: applyIn,
  answer: z.object(applyAnswer).meta({ id: 'Applied' }),
  handle: async (asked) => await applyAlone(asked.db, asked.body, async () => await apply(asked)),
});

async function apply(asked: Asked<unknown, unknown, z.output<typeof applyIn>>) {
  const { db, by, body } = asked;
  const who = by(body.reason);
  const plan = await planned(asked);
  await permitApply(db, plan, who);
  await refuseProblems(asked, plan);
  if (body.plan) checkHeld(plan, new Map(Object.entries(body.plan)));
  const doubt = pruneDoubtOf(plan, body.allowPrune);
  if (doubt !== null)
    throw new ProblemError({
      ...{ code: 'prune_refused', detail: `${doubt}; nothing was changed` },
      fix: `if that is meant: --allow-prune ${plan.left.length} (allowPrune)`,
    });
  const answer = await answerOf(asked, plan);
  await writeApply(db, plan, who);
  return answer;
}

async function planned({ db, egress, body }: Asking): Promise<ApplyPlan<number>> {
  const { tasks, places = [], set, prune, adopt, format, atFirst = [], paused } = body;
  return await planApply<number>(db, {
    ...{ set, prune, adopt, egress, format, paused },
    read: tasks.map((value, place) => ({ value, place, atFirst: atFirst[place] })),
    placeWords: (place) => places[place] ?? pathOf(place),
  });
}

function pathOf(place: number): string {
  return `tasks.${place}`;
}

/** Throws `tasks_refused`, which names each task that cannot be as it is given; `task_is_named`. */
async function refuseProblems({ db }: Asking, plan: ApplyPlan<number>): Promise<void> {
  const problems = (await applyProblems(db, plan)).toSorted((one, other) => one.place - other.place);
  const [first] = problems;
  if (!first) return checkPrune(plan);
  throw new ProblemError({
    code: 'tasks_refused',
    detail: problems.length === 1 ? first.message : `${problems.length} things are wrong with the tasks`,
    fix: 'nothing was changed: correct them, and ask again',
    errors: problems
      .slice(0, MOST_PROBLEMS)
      .map(({ place, message }) => ({ in: 'body' as const, path: pathOf(place), message })),
  });
}

async function answerOf({ db, by, body }: Asking, plan: ApplyPlan<number>) {
  return {
    effects: await effectsOf(db, plan, body),
    unchanged: plan.tasks.filter(({ changed }) => !changed).length,
    left: leftOf(plan, db, by()),
  };
}
