import { randomUUID } from 'node:crypto';
import { type AwayDuring, type Clock, type Emit, SECOND } from '@escapement/core';
import { createLoop, type Loop, type OnError } from '@escapement/service';
import {
  type CaughtUpRun,
  catchUpRuns,
  type Database,
  type FinishRequest,
  finishRuns,
  type MisfiredTask,
  misfiredRuns,
  takeClusterLock,
} from '@escapement/store';
import type { Dispatcher } from './dispatcher.ts';
import { type Glances, NO_GLANCES } from './glances.ts';
import { type Judged, judgeMisfired } from './judge-misfired.ts';

/** One replica in each interval looks for misfired runs. */
const EVERY_MS = 1 * SECOND;
const BATCH = 2000;
/** A long list of overdue runs is not gone through all the time, but no run waits for its judgement for longer. */
const WAIT_PER_WORK = 2;
const MAX_WAIT_MS = 3 * SECOND;

export interface MisfiresOptions {
  db: Database;
  /** Asked before each look. Default: it looks each time. */
  glances?: Pick<Glances, 'see'>;
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
 * workers find when they come back is not fired in a burst.
 */
export function createMisfires(options: MisfiresOptions): Loop {
  const { db, clock, emit, glances = NO_GLANCES } = options;

  async function runOnce(): Promise<number> {
    if (!(await glances.see('live'))) return EVERY_MS;
    if (!(await takeClusterLock(db, 'misfires', EVERY_MS))) return EVERY_MS;
    const startedMs = clock.monotonicMs();
    const { tasks, now, more } = await misfiredRuns(db, BATCH);
    if (now)
      await apply(
        tasks.flatMap((task) => judge(task, now)),
        now,
      );
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

  // Those that go on first: after a crash between the two writes the others are judged as they were.
  async function apply(judged: readonly Judged[], now: Date): Promise<void> {
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

function toCaughtUp({ run, verdict, startBy }: Judged, now: Date): CaughtUpRun[] {
  const { id, scheduledFor, dispatch, dueAt } = run;
  switch (verdict.to) {
    case 'run': {
      const startAt = verdict.delayMs > 0 ? new Date(now.getTime() + verdict.delayMs) : dueAt;
      return [
        { id, scheduledFor, dispatch, to: 'queued', dueAt: startAt, reason: null, inTurn: verdict.inTurn, startBy },
      ];
    }
    case 'held':
      return [{ id, scheduledFor, dispatch, to: 'held', dueAt, reason: verdict.reason, inTurn: false }];
    case 'missed':
      return [];
  }
}

function toFinishRequest({ run, verdict }: Judged): FinishRequest[] {
  if (verdict.to !== 'missed') return [];
  return [
    {
      runId: run.id,
      scheduledFor: run.scheduledFor,
      seen: { state: 'queued', dispatch: run.dispatch, attempt: 0 },
      fence: null,
      finishId: randomUUID(),
      verdict: { to: 'missed', reason: verdict.reason, lost: false, uncounted: false },
    },
  ];
}
