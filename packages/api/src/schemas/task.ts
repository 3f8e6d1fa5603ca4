import { TASK_STATES, type TaskDefinition, taskDefinition } from '@escapement/core';
import { SIDES } from '@escapement/core/shadow';
import { z } from 'zod';
import { calendarIn } from './calendar.ts';
import { principalOut, rate, runError, runState, waits } from './run.ts';
import { at, ms } from './values.ts';

/** One that is taken: a schema does not say that a command has to be there. */
const EXAMPLE = {
  name: 'nightly',
  schedule: { kind: 'cron', expression: '30 2 * * *', timeZone: 'Europe/Berlin' },
  handler: { type: 'shell', command: 'pg_dump shop' },
};

export const definitionIn = taskDefinition.meta({ id: 'TaskDefinition', example: EXAMPLE });

/** One that is judged where all that is wrong with several of them is told at once. */
export const definitionGiven = z.unknown().meta({ $ref: '#/$defs/TaskDefinition' });

/** As it is stored, without what it hides. */
export const definitionOut = z.record(z.string(), z.unknown()).meta({
  id: 'StoredDefinition',
  allOf: [{ $ref: '#/components/schemas/TaskDefinition' }],
  description:
    'A `TaskDefinition` with its defaults. What it hides is `***`; `payload` is left out for whom has not the right `read-payload`.',
}) as z.ZodType as z.ZodType<TaskDefinition>;

const pause = z
  .object({
    fromAt: at,
    untilAt: at.nullable(),
    note: z.string().nullable(),
    createdBy: z.string(),
    runId: z.string().nullable(),
    failures: z.int().nullable(),
  })
  .meta({ id: 'TaskPause' });

const taskState = z.enum(TASK_STATES).meta({
  id: 'TaskState',
  description:
    '`finished`: a run of it has decided that it does not run again. `unplannable`: it cannot be planned. `never_fires`: its schedule has no instant to come, and did not come to an end as it says itself.',
});

const handover = z
  .object({
    to: z.enum(SIDES),
    at,
    isTaken: z.boolean().meta({ description: 'False: its host has not answered.' }),
    host: z.string(),
  })
  .meta({ id: 'Handover' });

const fields = {
  id: z.string(),
  name: z.string(),
  formerNames: z.array(z.string()),
  version: z.int(),
  definition: definitionOut,
  source: z.string().meta({
    description:
      'Who manages it: `code`, `files:SET`, `systemd:SET`, `k8s:SET`, `bullmq:SET`, `crontab:NAME`, `cli`, `api`.',
  }),
  planSeq: z.int(),
  effectiveAt: at,
  plannedRuns: z.int(),
  nextRunAt: at.nullable(),
  nextStartAt: at.nullable().meta({ description: 'When it starts next, as far as is known; null: never.' }),
  planError: z.string().nullable(),
  neverFires: z.boolean().meta({
    description: 'Its schedule has no instant to come, and did not come to an end as it says itself.',
  }),
  createdAt: at,
  updatedAt: at,
  pauses: z.array(pause),
  handovers: z.array(handover).meta({
    description: 'Who runs the line of a crontab that it is of, and from when on: before that cron. Of no line: none.',
  }),
  meaning: z.string().meta({ description: 'When it runs, in words.' }),
  state: taskState,
};

export const taskListed = z
  .object({
    ...fields,
    lastRun: z
      .object({ id: z.string(), state: runState, scheduledFor: at, at, reason: z.string().nullable() })
      .nullable(),
    recentRuns: z
      .array(z.object({ id: z.string(), state: runState, durationMs: z.int().nullable() }))
      .meta({ description: 'Its latest runs, the latest first: as many as `recent` asks for.' }),
  })
  .meta({ id: 'TaskListed' });

const poolQueue = z.object({
  need: z.string().nullable(),
  app: z.string().nullable(),
  workers: z.int(),
  tasks: z.int(),
  waiting: z.int(),
  running: z.int(),
});

export const poolFields = {
  name: z.string(),
  pause: z.object({ fromAt: at, untilAt: at.nullable(), note: z.string().nullable(), by: z.string() }).nullable(),
  expectedWorkers: z.int().nullable(),
  workers: z.array(z.string()),
  priorities: z.boolean(),
  rate: rate.nullable(),
  tasks: z.int(),
  waiting: z.int().meta({ description: 'Runs that are due and have not begun.' }),
  running: z.int(),
  oldestDueAt: at.nullable().meta({ description: 'When the run that has waited longest was due; null: none waits.' }),
  queues: z.array(poolQueue),
  createdAt: at.nullable(),
  updatedAt: at.nullable(),
};

export const taskDescription = z
  .object({
    ...fields,
    stateWords: z.string(),
    change: z
      .object({
        id: z.string(),
        name: z.string(),
        definition: z.unknown(),
        source: z.string(),
        createdBy: principalOut,
        note: z.string().nullable(),
        effectiveAt: at,
        basedOn: z.int().nullable().meta({
          description:
            'The version of the task that it was given for; 0: there was no task. A task that has another one by then stays as it is. Null: not kept.',
        }),
        error: z.string().nullable(),
      })
      .nullable()
      .meta({ description: 'A definition that counts from a later instant on.' }),
    pool: z.object({
      ...poolFields,
      waits: waits
        .extend({
          pool: z.string(),
          need: z.string().nullable(),
          app: z.string().nullable(),
          workers: z.array(z.string()).meta({ description: 'Living workers of the pool, which lack what is needed.' }),
          drained: z.array(z.string()),
          others: z.array(z.object({ id: z.string(), pools: z.array(z.string()) })),
          tasks: z.int(),
          examples: z.array(z.string()),
        })
        .nullable()
        .meta({ description: 'Why its runs wait for a worker; null: a living one can take them.' }),
    }),
    calendars: z
      .array(z.object({ name: z.string(), definition: calendarIn }))
      .meta({ description: 'Those that it goes by, as they are in force.' }),
    workers: z.array(z.object({ name: z.string(), isAlive: z.boolean() })).nullable(),
  })
  .meta({ id: 'TaskDescription' });

/** What somebody has edited, and a file or a crontab takes back. */
export const undoneEdit = z.object({
  version: z.int(),
  by: z.string(),
  at,
  note: z.string().nullable(),
  fields: z.array(z.string()),
});

const fireCount = <Fire extends z.ZodType>(fire: Fire) => z.object({ count: z.int(), first: z.array(fire) });

export const effect = z
  .object({
    name: z.string(),
    action: z.enum(['create', 'update', 'unchanged', 'delete']),
    changed: z.array(z.string()).meta({ description: 'Top-level parts of the definition that differ.' }),
    fires: z.object({
      added: fireCount(at),
      removed: fireCount(at),
      moved: fireCount(z.object({ from: at, to: at })),
      kept: z.int(),
      truncated: z.boolean(),
      comparedTo: at,
    }),
    next: at.nullable().meta({ description: 'The first fire that the save will have.' }),
    basis: z.string().nullable().meta({
      description:
        'Stands for what the new fires follow from: the schedule, and its calendars as they are. Sent back with the save, nothing else is saved. Null: the task is deleted.',
    }),
    passed: at.nullable().meta({ description: 'It has passed already: it runs as soon as the task is saved.' }),
    timeZone: z.string(),
    schedule: z.string(),
    clockChanges: z
      .array(z.object({ at, message: z.string(), fix: z.string().optional() }))
      .optional()
      .meta({ description: 'The next changes of the clock by which it goes.' }),
    lints: z.array(z.object({ code: z.string(), message: z.string(), fix: z.string().optional() })),
  })
  .meta({ id: 'TaskEffect' });

export const preview = z
  .object({
    effect,
    meaning: z.string().meta({ description: 'When it runs, in words.' }),
    meaningBefore: z
      .string()
      .nullable()
      .meta({ description: "When it runs by today's definition, in words; null: it is new." }),
    before: z.array(at).meta({ description: "The next fires of today's definition." }),
    after: z.array(at).meta({ description: 'The next fires of the new one.' }),
    version: z
      .int()
      .nullable()
      .meta({ description: 'The version that it was compared with, for `If-Match`; null: it is new.' }),
  })
  .meta({ id: 'TaskPreview' });

/** Of a save that is refused: what was previewed against what would be done now. */
export const outdated = z
  .object({
    previewed: preview.nullable().meta({
      description:
        'What the save would have changed about the version of `If-Match`, looked at now; null: none was named, it is in force still, or it is not known.',
    }),
    now: preview.nullable().meta({ description: 'What it would change now; null: it can no longer be made.' }),
    since: effect.nullable().meta({
      description: 'What others have changed about the task since that version; null as `previewed`.',
    }),
  })
  .meta({
    id: 'OutdatedPreview',
    description: 'Of a save that names a version or a first fire: what was previewed against what would be done now.',
  });

export const saved = z
  .object({
    id: z.string(),
    kind: z.enum(['created', 'updated', 'unchanged', 'scheduled']),
    version: z.int().nullable().meta({ description: 'Null: it is saved later.' }),
    effectiveAt: at.nullable(),
    effect,
  })
  .meta({ id: 'TaskSaved' });

export const stats = z
  .object({
    name: z.string(),
    count: z.int(),
    succeeded: z.int(),
    failed: z.int(),
    notRun: z.int().meta({ description: 'Skipped, missed, superseded or cancelled.' }),
    open: z.int(),
    p50Ms: ms.nullable(),
    p95Ms: ms.nullable(),
    lastError: z
      .object({ runId: z.string(), state: runState, at, reason: z.string().nullable(), error: runError.nullable() })
      .nullable(),
  })
  .meta({ id: 'TaskStats' });
