import { randomUUID } from 'node:crypto';
import { type Clock, type Emit, SECOND } from '@escapement/core';
import type { AwayDuring } from '@escapement/core/plan';
import { createLoop, type Loop, type OnError } from '@escapement/service';
import {
  type CaughtUpRun,
  catchUpRuns,
  type Database,
  type FinishRequest,
  finishRuns,
  type MisfiredRun,
  type MisfiredTask,
  misfiredRuns,
  splitOnDataFault,
  type TaskInTurn,
  takeClusterLock,
  takeTurns,
} from '@escapement/store';
import type { Dispatcher } from './dispatcher.ts';
import { type Judged, judgeMisfired } from './judge-misfired.ts';
import { NO_PROBES, type Probes } from './probes.ts';

/** One replica in each interval looks for misfired runs. */
const EVERY_MS = 1 * SECOND;
const BATCH = 2000;
/** A long list of overdue runs is not gone through all the time, but no run waits for its judgement for longer. */
const WAIT_PER_WORK = 2;
const MAX_WAIT_MS = 3 * SECOND;

export interface MisfiresOptions {
  db: Database;
  /** Asked before each look. Default: it looks each time. */
  probes?: Pick<Probes, 'see'>;
  dispatcher: Pick<Dispatcher, 'enqueue'>;
  /** Which servers were away, for the reasons. Default: not known. */
  away?: AwayDuring;
  clock: Clock;
  emit: Emit;
  onError: OnError;
}

/**
 * Judges runs that were queued before an outage and not begun within their misfire threshold, by the catch-up policy
 * of their task, as the planner judges those that have no row yet. Begin refuses them until that is done, so that what
 * workers find when they come back is not fired in a burst. While the outage lasts more runs misfire, so a choice holds only
 * until newer ones can replace it: then all that have not begun are judged again, together.
 */
export function createMisfires(options: MisfiresOptions): Loop {
  const { db, clock, emit, probes = NO_PROBES } = options;

  async function runOnce(): Promise<number> {
    if (!(await probes.see('live'))) return EVERY_MS;
    if (!(await takeClusterLock(db, 'misfires', EVERY_MS))) return EVERY_MS;
    const startedMs = clock.monotonicMs();
    const { tasks, now, more } = await misfiredRuns(db, BATCH);
    if (now)
      await splitOnDataFault(tasks, {
        write: (part) =>
          apply(
            part.flatMap((task) => judge(task, now)),
            now,
          ),
        refused: ({ name }, cause) =>
          options.onError(new Error(`misfired runs of ${name} cannot be written`, { cause }), { name: 'misfires' }),
      });
    const tookMs = clock.monotonicMs() - startedMs;
    return more ? 0 : Math.min(Math.max(EVERY_MS, tookMs * WAIT_PER_WORK), MAX_WAIT_MS);
  }

  function judge(task: MisfiredTask, now: Date): Judged[] {
    try {
      return judgeMisfired(task, now, options.away);
    } catch (error) {
      // A schedule that this version cannot read must not keep the others from being judged.
      options.onError(error, { name: 'misfires' });
      return [];
    }
  }

  // Catch-ups are written first: after a crash between the writes, the next pass judges the others as this one did.
  async function apply(judged: readonly Judged[], now: Date): Promise<void> {
    const turns = judged.flatMap((each) => toTurn(each, now));
    if (turns.length > 0) await takeTurns(db, turns);
    const goOn = judged.flatMap((each) => toCaughtUp(each, now));
    const { queued, held } = goOn.length > 0 ? await catchUpRuns(db, goOn) : { queued: [], held: 0 };
    const ended = judged.flatMap(toFinishRequest);
    const results = ended.length > 0 ? await finishRuns(db, ended) : [];
    await options.dispatcher.enqueue(queued);
    const missed = results.filter((result) => result === 'applied').length;
    if (queued.length + held + missed > 0) emit({ event: 'misfires', caughtUp: queued.length, held, missed });
  }

  return createLoop({ name: 'misfires', runOnce, onError: options.onError });
}

/** The newest run that is caught up in turn says how far its task takes turns: to the next occurrence, or to the next pass. */
function toTurn({ verdict, taskId, nextAt, isNewest }: Judged, now: Date): TaskInTurn[] {
  if (verdict.to !== 'run' || !verdict.inTurn || !isNewest) return [];
  const soon = new Date(now.getTime() + MAX_WAIT_MS);
  return [{ taskId, until: nextAt && nextAt > soon ? nextAt : soon }];
}

/** Gives what to write of a run that goes on, is held or stays open; nothing if its row says so already. */
export function toCaughtUp({ run, verdict, ...judged }: Judged, now: Date): CaughtUpRun[] {
  const { id, scheduledFor, dispatch, state: seen } = run;
  const row = { id, scheduledFor, dispatch, seen, reason: null, inTurn: false, holdsUntil: judged.holdsUntil };
  switch (verdict.to) {
    case 'run': {
      if (run.judged === 'chosen' && !run.refused && seen === 'queued') return [];
      // Newer ones that may replace it have no rows yet: it is judged once a planner has made them.
      if (judged.holdsUntil && judged.holdsUntil < now) return [];
      const { inTurn } = verdict;
      return [
        {
          ...row,
          to: 'queued',
          dueAt: startAt(run, verdict.delayMs, judged.dueAt, now),
          inTurn,
          startBy: judged.startBy,
        },
      ];
    }
    case 'held':
      return seen === 'held' ? [] : [{ ...row, to: 'held', dueAt: judged.dueAt, reason: verdict.reason }];
    case 'open':
      return run.judged === 'open' && run.dueAt > now
        ? []
        : [{ ...row, to: 'open', dueAt: new Date(now.getTime() + verdict.waitMs) }];
    case 'missed':
      return [];
  }
}

/** The start of one that was chosen before is staggered already. */
function startAt(run: MisfiredRun, delayMs: number, dueAt: Date, now: Date): Date {
  if (delayMs === 0) return dueAt;
  return run.judged === 'chosen' ? run.dueAt : new Date(now.getTime() + delayMs);
}

function toFinishRequest({ run, verdict }: Judged): FinishRequest[] {
  if (verdict.to !== 'missed') return [];
  return [
    {
      runId: run.id,
      scheduledFor: run.scheduledFor,
      seen: { state: run.state, dispatch: run.dispatch, attempt: 0 },
      fence: null,
      finishId: randomUUID(),
      verdict: { to: 'missed', reason: verdict.reason, lost: false, uncounted: false },
    },
  ];
}
