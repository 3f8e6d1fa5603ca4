import {
  type BulkAction,
  type By,
  briefly,
  CANCELLABLE_STATES,
  EscapementError,
  FAILED_STATES,
  HOUR,
  type Resolution,
  type RunOrigin,
  type RunState,
  TERMINAL_STATES,
} from '@escapement/core';
import type { LabelSelector, Right } from '@escapement/core/rights';
import { parseRunQuery, type RunQueryOptions } from '@escapement/core/run-query';
import {
  type Database,
  findRun,
  pausedTasks,
  pingDatabase,
  putRequest,
  type RunView,
  selectTasks,
  type TaskChoice,
  tasksOfRuns,
} from '@escapement/store';
import { needsReason } from '../needs-reason.ts';
import { permitInNamespace, permitOnTask, permitOnTasks } from '../rights/permit.ts';
import { seesPayloads } from '../rights/reading.ts';
import { checkEnd } from '../tasks/pause-task.ts';
import { requireTask } from '../tasks/require-task.ts';
import { orderOf } from './order-of.ts';
import { stepsOf } from './steps.ts';

/** After it no scheduler begins with a bulk action any more: by then nobody expects it. */
const PATIENCE_MS = 1 * HOUR;
/** Runs, or tasks, that a preview names. */
const NAMED = 10;

/** Tasks that one act may be about. */
const MOST_TASKS = 100_000;

/** Which runs a bulk action is about, all bounds together. */
export interface RunFilter {
  /** Default: of all tasks. */
  task?: string | undefined;
  /** Of tasks with one of these names when it is asked for; `*` stands for anything. Default: of all. */
  names?: readonly string[] | undefined;
  /** Of the tasks that have these labels when it is asked for. */
  labels?: LabelSelector | undefined;
  /** Default: all that the act is possible for. */
  states?: readonly RunState[] | undefined;
  /** Scheduled then or later. Default: no bound. */
  since?: Date | undefined;
  /** Scheduled before then. Default: now, by Postgres' clock. */
  until?: Date | undefined;
  /** At most so many, the oldest first. Default: all. */
  limit?: number | undefined;
  /** Default: of any key. */
  key?: string | undefined;
  /** Of the worker of this name. Default: of any. */
  worker?: string | undefined;
  /** Default: wherever they came from. */
  origins?: readonly RunOrigin[] | undefined;
  /** Words of the reason or the error, in letters of any case. Default: whatever they are. */
  error?: string | undefined;
  /** What these bounds were read from, for the audit. */
  query?: string | undefined;
  /** For whom errors are not to be seen: `error` is looked for in reasons alone. Who asks without the right to payloads is such a one. */
  reasonsOnly?: boolean | undefined;
}

/**
 * The runs of a query, as `GET /v1/runs` takes it. Throws `bad_query`. It is not cut to what somebody may see: an act is asked for each
 * task that it is about.
 */
export function filterOfQuery(query: string, options: RunQueryOptions): RunFilter {
  const { tasks: names, ...filter } = parseRunQuery(query, options);
  return { ...filter, names, query };
}

/** Held runs: what waits for a person after an outage. */
export interface HeldFilter {
  /** Default: of all tasks. */
  task?: string | undefined;
  /** Of the tasks of these names. Default: of all. */
  names?: readonly string[] | undefined;
  /** Of the tasks that have these labels when it is asked for. */
  labels?: LabelSelector | undefined;
  /** Only the newest of each task. Default false. */
  latestOnly?: boolean | undefined;
  /** Only these, by their ids. Default: all. */
  runs?: readonly string[] | undefined;
}

/** How held runs go on. */
interface HeldTerms {
  spacingMs?: number | undefined;
  fromAt?: Date | null | undefined;
  /** Names of tasks, each once. Default: none are put before others. */
  order?: readonly string[] | undefined;
}

/** Which act, on what. `preview` says what it would do, `ask` has it done. */
export type BulkAsked =
  /** Ends runs that have not ended. */
  | ({ action: 'cancel' } & RunFilter)
  /** Runs ended runs once more, those whose last rerun has ended too. `sameVersion`: with the definition that each had. */
  | ({ action: 'rerun'; sameVersion?: boolean | undefined } & RunFilter)
  /** Reruns what failed for good and was not rerun yet. */
  | ({ action: 'redrive' } & RunFilter)
  /** Says what became of runs that are `unknown`; who asks has to say how they know. */
  | ({ action: 'resolve'; as: Resolution } & RunFilter)
  /**
   * Lets held runs go on, `spacingMs` apart (default 0), the first at `fromAt` (default: at once): those of the tasks in `order` first, one
   * task after the other, then the others by priority; within that in order of their occurrence. With `latestOnly` the older ones end as
   * missed, at once.
   */
  | ({ action: 'run_held' } & HeldTerms & HeldFilter)
  /** Ends held runs as missed. */
  | ({ action: 'drop_held' } & HeldFilter)
  /** Pauses tasks, until an instant or until they are resumed (null). */
  | ({ action: 'pause'; untilAt: Date | null } & TasksOfLabels)
  /** Ends the pauses of those tasks that are paused. */
  | ({ action: 'resume' } & TasksOfLabels)
  /** Runs tasks now, each with its own payload. */
  | ({ action: 'trigger' } & TasksOfLabels);

/** The tasks that have these labels when it is asked for. */
interface TasksOfLabels {
  labels: LabelSelector;
  task?: undefined;
}

export interface BulkPreview {
  /** How many runs, or tasks, it would be done to, and how many older ones would be dropped. */
  total: number;
  dropped: number;
  /** The first of those that it would be done to, at most 10. */
  first: RunView[];
  /** Where it is about tasks, the names of the first, at most 10. */
  firstTasks: string[];
}

/** What a bulk action would do, now. Changes nothing. Throws as `askBulk`. */
export async function previewBulk(db: Database, asked: BulkAsked): Promise<BulkPreview> {
  const preview: BulkPreview = { total: 0, dropped: 0, first: [], firstTasks: [] };
  for (const step of stepsOf(await actionOf(db, asked, await tasksOf(db, asked)))) {
    const count = await step.count(db);
    if (step.counts === 'dropped') preview.dropped += count;
    else {
      preview.total += count;
      const chosen = count > 0 ? await step.choose(db, { after: null, limit: Math.min(NAMED, count) }) : [];
      if (step.of === 'tasks') preview.firstTasks.push(...chosen.map(({ id }) => id));
      else
        preview.first.push(
          ...(await Promise.all(chosen.map(({ id }) => findRun(db, id)))).filter((run) => run !== null),
        );
    }
  }
  return preview;
}

/**
 * Asks the schedulers for a bulk action, which one of them carries out a chunk at a time; each run is done once, whoever is
 * killed meanwhile. If none begins within an hour, none does any more. Returns the id of the request. The right is asked for each
 * task that labels or names select: one that lacks it refuses them all. Throws `unknown_task`, `nothing_selected` where no task has the labels
 * or names, `too_much_selected`, `bad_states` for states that the act is not possible for, `no_reason`.
 */
export async function askBulk(db: Database, asked: BulkAsked, by: By): Promise<string> {
  const tasks = await permitBulk(db, asked, by);
  if (asked.action === 'resolve') needsReason(by, 'runs are resolved by somebody who knows what became of them');
  const bulkAction = await actionOf(db, asked, tasks);
  const hides = 'error' in bulkAction && !seesPayloads(by, db.namespace);
  const request = hides ? { ...bulkAction, reasonsOnly: true } : bulkAction;
  return await putRequest(db, { request, by, patienceMs: PATIENCE_MS, inChunks: true });
}

const RIGHT_OF: { readonly [Act in BulkAsked['action']]: Right } = {
  cancel: 'cancel',
  rerun: 'rerun',
  redrive: 'rerun',
  resolve: 'rerun',
  run_held: 'rerun',
  drop_held: 'cancel',
  pause: 'pause',
  resume: 'pause',
  trigger: 'trigger',
};

/** Without a task and labels it is about all of them. Returns the tasks that it is about; null: all. */
async function permitBulk(db: Database, asked: BulkAsked, by: By): Promise<string[] | null> {
  const { action: bulkAction, task } = asked;
  const entry = { action: 'ask', subject: { request: bulkAction } };
  const right = RIGHT_OF[bulkAction];
  const choice = await choiceOf(db, asked);
  if (choice) return namesOf(await permitOnTasks(db, by, right, { ...entry, ...choice }), asked);
  if (task !== undefined) await permitOnTask(db, by, right, { ...entry, name: task });
  else await permitInNamespace(db, by, right, { ...entry, what: 'runs of all tasks' });
  return await tasksOf(db, asked);
}

/** What selects the tasks that an act is about; undefined: one is named, or all are meant. */
async function choiceOf(db: Database, asked: BulkAsked): Promise<TaskChoice | undefined> {
  const labels = 'labels' in asked ? asked.labels : undefined;
  const names = 'runs' in asked && asked.runs ? await tasksOfRuns(db, asked.runs) : namesIn(asked);
  return labels || names ? { labels, names } : undefined;
}

function namesIn(asked: BulkAsked): readonly string[] | undefined {
  return 'names' in asked ? asked.names : undefined;
}

/** The tasks that an act is about; null: all. Throws `unknown_task`, `nothing_selected`. */
async function tasksOf(db: Database, asked: BulkAsked): Promise<string[] | null> {
  const choice = await choiceOf(db, asked);
  if (asked.task !== undefined) await requireTask(db, asked.task);
  if (choice) return namesOf(await selectTasks(db, choice), asked);
  return asked.task === undefined ? null : [asked.task];
}

function namesOf(selected: readonly { name: string }[], asked: BulkAsked): string[] {
  const names = selected.map(({ name }) => name).filter((name) => asked.task === undefined || name === asked.task);
  if (names.length > MOST_TASKS)
    throw new EscapementError('too_much_selected', `${names.length} tasks have ${choiceWords(asked)}`, {
      fix: `narrow it down: one act is about ${MOST_TASKS} tasks at most`,
    });
  if (names.length > 0) return names;
  throw new EscapementError('nothing_selected', `no task has ${choiceWords(asked)}`, {
    fix: 'see `escapement tasks list -l`, and `escapement tasks show` for the labels of a task',
  });
}

function choiceWords(asked: BulkAsked): string {
  const labels = 'labels' in asked ? asked.labels : undefined;
  const names = namesIn(asked);
  if ('runs' in asked && asked.runs) return 'any of these runs';
  return [
    ...(names ? [names.length === 1 ? `the name ${names[0]}` : `one of the names ${briefly(names)}`] : []),
    ...(labels
      ? [
          `the labels ${[labels]
            .flat()
            .map(({ text }) => text)
            .join(', ')}`,
        ]
      : []),
  ].join(' and ');
}

const STATES: Record<'cancel' | 'rerun' | 'redrive' | 'resolve', readonly RunState[]> = {
  cancel: CANCELLABLE_STATES,
  rerun: TERMINAL_STATES,
  redrive: FAILED_STATES,
  resolve: ['unknown'],
};

async function actionOf(db: Database, asked: BulkAsked, tasks: string[] | null): Promise<BulkAction> {
  switch (asked.action) {
    case 'cancel':
      return { kind: 'cancel_runs', ...(await selectionOf(db, asked, { possible: STATES.cancel, tasks })) };
    case 'rerun':
      return {
        kind: 'rerun_runs',
        ...(await selectionOf(db, asked, { possible: STATES.rerun, tasks })),
        sameVersion: asked.sameVersion ?? false,
      };
    case 'redrive':
      return { kind: 'redrive_runs', ...(await selectionOf(db, asked, { possible: STATES.redrive, tasks })) };
    case 'resolve': {
      const selection = await selectionOf(db, asked, { possible: STATES.resolve, tasks });
      return { kind: 'resolve_runs', ...selection, as: asked.as };
    }
    case 'run_held': {
      const order = await orderOf(db, asked.order, tasks);
      return {
        kind: 'run_held',
        ...heldOf(asked, tasks),
        spacingMs: asked.spacingMs ?? 0,
        fromAt: asked.fromAt?.toISOString() ?? null,
        // A scheduler of the version before knows none.
        ...(order ? { order } : {}),
      };
    }
    case 'drop_held':
      return { kind: 'drop_held', ...heldOf(asked, tasks) };
    case 'pause':
      await checkEnd(db, asked.untilAt);
      return { kind: 'pause_tasks', ...chosenBy(asked, tasks), untilAt: asked.untilAt?.toISOString() ?? null };
    case 'resume':
      return { kind: 'resume_tasks', ...chosenBy(asked, [...(await pausedTasks(db, tasks ?? []))].sort()) };
    case 'trigger':
      return { kind: 'trigger_tasks', ...chosenBy(asked, tasks) };
  }
}

function heldOf({ labels, latestOnly, runs }: HeldFilter, tasks: string[] | null) {
  return { tasks, labels: labels?.text ?? null, latestOnly: latestOnly ?? false, runs: runs ? [...runs] : null };
}

function chosenBy({ labels }: TasksOfLabels, tasks: string[] | null): { labels: string; tasks: string[] } {
  return { labels: labels.text, tasks: tasks ?? [] };
}

async function selectionOf(
  db: Database,
  { labels, states, since, until, limit, query, key, worker, origins, error, reasonsOnly }: RunFilter,
  { possible, tasks }: { possible: readonly RunState[]; tasks: string[] | null },
) {
  const bad = states?.find((state) => !possible.includes(state));
  if (bad !== undefined)
    throw new EscapementError('bad_states', `it is not possible for runs that are ${bad}`, {
      fix: `give one or more of ${possible.join(', ')}`,
    });
  const { now } = await pingDatabase(db);
  // Also those of this very millisecond.
  const asked = new Date(now.getTime() + 1);
  return {
    tasks,
    labels: labels?.text ?? null,
    states: [...(states ?? possible)],
    since: since?.toISOString() ?? null,
    until: (until && until < asked ? until : asked).toISOString(),
    askedAt: now.toISOString(),
    limit: limit ?? null,
    ...{ query: query ?? null, key: key ?? null, worker: worker ?? null, origins: origins ? [...origins] : null },
    ...{ error: error ?? null, reasonsOnly: reasonsOnly ?? false },
  };
}
