import { actionOf, EscapementError, processPrincipal, SECOND, systemClock } from '@escapement/core';
import { triggerTask } from '@escapement/operations';
import type { TaskRef } from '@escapement/sdk';
import { type Database, findRun, findTask, listRuns, type RunView, readLogs, readTaskState } from '@escapement/store';
import type { FleetClock } from './fleet-clock.ts';
import type { FleetProcesses } from './fleet-processes.ts';
import { openWork } from './open-work.ts';
import { type Span, spanMs } from './span.ts';

/** How often the ledger is looked at while something is to be done. */
const LOOK_MS = 5;
const MAX_RUNS = 100_000;
const LOG_CHUNKS = 1000;

type TaskName = string | { readonly name: string };

/** A fleet of one scheduler and one worker in this process, on a real Postgres and a real Redis. */
export interface TestFleet {
  /** For clients of the fleet. */
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly namespace: string;
  /** The time of the fleet. */
  now(): Date;
  /**
   * Time passes: to each instant at which something is due, where all of it is done before time goes on, and then to the
   * end of the span, or to the date. Throws `bad_span`, and `fleet_busy` where something is not done within the patience.
   */
  advance(span: Span | Date): Promise<void>;
  /** Moves time forward without a fleet. Then the fleet is back, and each task's `catchUp` decides about what was missed. */
  outage(span: Span | Date): Promise<void>;
  /** Starts a run by hand and waits until it, and what follows at once, is done. Returns its row of the ledger. */
  trigger<Input>(task: TaskRef<Input>, payload?: NoInfer<Input>): Promise<RunView>;
  /** Waits until all that is due now is done. Throws `fleet_busy`. */
  settled(): Promise<void>;
  /** The rows of the ledger, or of one task, the earliest occurrence first. */
  runs(task?: TaskName): Promise<RunView[]>;
  /** What a run has written to its log. */
  log(run: string | { readonly id: string }): Promise<string>;
  /** The state of a task under a key; undefined: none. Default: the key that is the task's name. */
  state(task: TaskName, key?: string): Promise<unknown>;
  /** Ends the fleet and removes its data. Running runs are aborted. */
  stop(): Promise<void>;
}

export interface FleetParts extends Pick<TestFleet, 'databaseUrl' | 'redisUrl' | 'stop'> {
  db: Database;
  clock: FleetClock;
  processes: FleetProcesses;
  patienceMs: number | undefined;
}

/** What a test does with a fleet that runs. */
export function openFleet({ db, clock, processes, patienceMs = 30 * SECOND, ...rest }: FleetParts): TestFleet {
  /** Waits until nothing is to be done now. When there is something next; null: never. */
  async function idle(): Promise<Date | null> {
    const giveUpMs = systemClock.monotonicMs() + patienceMs;
    for (;;) {
      const work = await openWork(db);
      if (work.now.length === 0) return work.nextAt;
      if (systemClock.monotonicMs() > giveUpMs) throw busy(work.now, patienceMs, processes.problems);
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }

  async function advance(span: Span | Date): Promise<void> {
    const until = endOf(span, clock.now());
    for (let next = await idle(); next !== null && next <= until; next = await idle()) await processes.moveTo(next);
    await processes.moveTo(until);
    await idle();
  }

  async function outage(span: Span | Date): Promise<void> {
    await idle();
    await processes.moveTo(endOf(span, clock.now()));
    await idle();
  }

  async function settled(): Promise<void> {
    await idle();
  }

  return {
    ...rest,
    namespace: db.namespace,
    now: () => clock.now(),
    advance,
    outage,
    settled,
    async trigger(task, payload) {
      const given = payload === undefined ? {} : { payload: JSON.parse(JSON.stringify(payload)) };
      const id = await triggerTask(db, nameOf(task), { by: actionOf(processPrincipal('test')), ...given });
      await idle();
      return await mustFind(db, id);
    },
    async runs(task) {
      const filter = task === undefined ? {} : { taskName: nameOf(task) };
      return (await listRuns(db, { ...filter, limit: MAX_RUNS })).reverse();
    },
    async log(run) {
      const chunks = await readLogs(db, typeof run === 'string' ? run : run.id, { limit: LOG_CHUNKS });
      return chunks.map(({ text }) => text).join('');
    },
    async state(task, key = nameOf(task)) {
      const found = await findTask(db, nameOf(task));
      return found ? (await readTaskState(db, found.id, key)).value : undefined;
    },
  };
}

function endOf(span: Span | Date, now: Date): Date {
  if (!(span instanceof Date)) return new Date(now.getTime() + spanMs(span));
  if (span >= now) return span;
  throw new EscapementError(
    'bad_span',
    `${Number.isNaN(span.getTime()) ? 'an invalid date' : span.toISOString()} lies before ${now.toISOString()}, which is now`,
    {
      fix: 'give a date that is still to come: time does not go back',
    },
  );
}

function nameOf(task: TaskName): string {
  return typeof task === 'string' ? task : task.name;
}

async function mustFind(db: Database, id: string): Promise<RunView> {
  const run = await findRun(db, id);
  if (run) return run;
  throw new EscapementError('run_gone', `run ${id} is not in the ledger any more`, {
    fix: 'its retention time has passed: advance by less, or give the task more retentionDays',
  });
}

function busy(work: readonly string[], patienceMs: number, problems: readonly string[]): EscapementError {
  const wrong = problems.length === 0 ? '' : `; what went wrong meanwhile: ${problems.join('; ')}`;
  return new EscapementError('fleet_busy', `not done within ${patienceMs} ms: ${work.join('; ')}${wrong}`, {
    fix: 'let the handler end, or give startTestFleet more patienceMs',
  });
}
