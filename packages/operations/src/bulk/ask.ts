import {
  type BulkAct,
  type By,
  CANCELLABLE_STATES,
  EscapementError,
  FAILED_STATES,
  HOUR,
  type Right,
  type RunState,
  TERMINAL_STATES,
} from '@escapement/core';
import { type Database, findRun, pingDatabase, putRequest, type RunView } from '@escapement/store';
import { permitInNamespace, permitOnTask } from '../rights/permit.ts';
import { requireTask } from '../tasks/require-task.ts';
import { stepsOf } from './steps.ts';

/** After it no scheduler begins with a bulk act any more: by then nobody expects it. */
const PATIENCE_MS = 1 * HOUR;
/** Runs that a preview names. */
const NAMED = 10;

/** Which runs a bulk act is about, all bounds together. */
export interface RunFilter {
  /** Default: of all tasks. */
  task?: string | undefined;
  /** Default: all that the act is possible for. */
  states?: readonly RunState[] | undefined;
  /** Scheduled then or later. Default: no bound. */
  since?: Date | undefined;
  /** Scheduled before then. Default: now, by Postgres' clock. */
  until?: Date | undefined;
  /** At most so many, the oldest first. Default: all. */
  limit?: number | undefined;
}

/** Held runs: what waits for a person after an outage. */
export interface HeldFilter {
  /** Default: of all tasks. */
  task?: string | undefined;
  /** Only the newest of each task. Default false. */
  latestOnly?: boolean | undefined;
}

/** Which act, on what. `preview` says what it would do, `ask` has it done. */
export type BulkAsked =
  /** Ends runs that have not ended. */
  | ({ act: 'cancel' } & RunFilter)
  /** Runs ended runs once more, those whose last re-run has ended too. `sameVersion`: with the definition that each had. */
  | ({ act: 'retry'; sameVersion?: boolean | undefined } & RunFilter)
  /** Re-runs what failed for good and was not re-run yet. */
  | ({ act: 'redrive' } & RunFilter)
  /** Lets held runs go on, by priority, then in order of their occurrence, `spacingMs` apart (default 0). With `latestOnly` the older ones end as missed. */
  | ({ act: 'run_held'; spacingMs?: number | undefined } & HeldFilter)
  /** Ends held runs as missed. */
  | ({ act: 'drop_held' } & HeldFilter);

export interface BulkPreview {
  /** How many runs it would be done to, and how many older ones would be dropped. */
  total: number;
  dropped: number;
  /** The first of those that it would be done to, at most 10. */
  first: RunView[];
}

/** What a bulk act would do, now. Changes nothing. Throws as `askBulk`. */
export async function previewBulk(db: Database, asked: BulkAsked): Promise<BulkPreview> {
  const preview: BulkPreview = { total: 0, dropped: 0, first: [] };
  for (const step of stepsOf(await actOf(db, asked))) {
    const count = await step.count(db);
    if (step.counts === 'dropped') preview.dropped += count;
    else {
      preview.total += count;
      const chosen = count > 0 ? await step.choose(db, { after: null, limit: Math.min(NAMED, count) }) : [];
      const runs = await Promise.all(chosen.map(({ id }) => findRun(db, id)));
      preview.first.push(...runs.filter((run) => run !== null));
    }
  }
  return preview;
}

/**
 * Asks the schedulers for a bulk act, which one of them carries out a chunk at a time; each run is done once, whoever is
 * killed meanwhile. If none begins within an hour, none does any more. Returns the id of the request. Throws
 * `unknown_task`, `bad_states` for states that the act is not possible for.
 */
export async function askBulk(db: Database, asked: BulkAsked, by: By): Promise<string> {
  await permitBulk(db, asked, by);
  return await putRequest(db, { request: await actOf(db, asked), by, patienceMs: PATIENCE_MS, inChunks: true });
}

const RIGHT_OF: { readonly [Act in BulkAsked['act']]: Right } = {
  cancel: 'cancel',
  retry: 'retry',
  redrive: 'retry',
  run_held: 'retry',
  drop_held: 'cancel',
};

/** Without a task it is about all of them. */
async function permitBulk(db: Database, { act, task }: BulkAsked, by: By): Promise<void> {
  const subject = { request: act };
  const right = RIGHT_OF[act];
  if (task !== undefined) await permitOnTask(db, by, right, { name: task, action: 'ask', subject });
  else await permitInNamespace(db, by, right, { action: 'ask', subject, what: 'runs of all tasks' });
}

const STATES: Record<'cancel' | 'retry' | 'redrive', readonly RunState[]> = {
  cancel: CANCELLABLE_STATES,
  retry: TERMINAL_STATES,
  redrive: FAILED_STATES,
};

async function actOf(db: Database, asked: BulkAsked): Promise<BulkAct> {
  if (asked.task !== undefined) await requireTask(db, asked.task);
  const task = asked.task ?? null;
  switch (asked.act) {
    case 'cancel':
      return { kind: 'cancel_runs', ...(await selectionOf(db, asked, STATES.cancel)) };
    case 'retry':
      return {
        kind: 'retry_runs',
        ...(await selectionOf(db, asked, STATES.retry)),
        sameVersion: asked.sameVersion ?? false,
      };
    case 'redrive':
      return { kind: 'redrive_runs', ...(await selectionOf(db, asked, STATES.redrive)) };
    case 'run_held':
      return { kind: 'run_held', task, latestOnly: asked.latestOnly ?? false, spacingMs: asked.spacingMs ?? 0 };
    case 'drop_held':
      return { kind: 'drop_held', task, latestOnly: asked.latestOnly ?? false };
  }
}

async function selectionOf(
  db: Database,
  { task, states, since, until, limit }: RunFilter,
  possible: readonly RunState[],
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
    task: task ?? null,
    states: [...(states ?? possible)],
    since: since?.toISOString() ?? null,
    until: (until && until < asked ? until : asked).toISOString(),
    askedAt: now.toISOString(),
    limit: limit ?? null,
  };
}
