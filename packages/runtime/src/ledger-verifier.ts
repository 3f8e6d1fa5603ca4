import { type Clock, DAY, type Emit, HOUR, MINUTE, SECOND, systemClock } from '@escapement/core';
import { isGap } from '@escapement/core/verify-ledger';
import { type LedgerFinding, SILENT_MS, VERIFY_DELAY_MS, verifyLedger } from '@escapement/operations';
import { createLoop, type Loop } from '@escapement/service';
import {
  type Database,
  doneUntil,
  noteDoneUntil,
  noteLedgerVerified,
  pingDatabase,
  sincePlannerPass,
  takeClusterLock,
} from '@escapement/store';

/** One process of the fleet in each interval compares ledger and schedules. */
const EVERY_MS = 5 * MINUTE;
/** Each occurrence is compared twice: what was on its way when it was looked at first has come when it is looked at again. */
const WINDOW_MS = 2 * EVERY_MS;
/** So far back at most, to where it was verified before the fleet was away. */
const MOST_MS = DAY;
const LOCK = 'ledger-verifier';
/** By then an hour is rolled up: it ends one hour after it begins, and the rest is for those with many tasks. */
const ROLLED_UP_MS = 2 * HOUR;
const LOOK_MS = 30 * SECOND;
/** A planner that starts with this process is waited for: so often it is looked whether it plans. */
const STARTING_MS = 5 * SECOND;
/** Findings that get a line of their own. */
const NAMED = 5;

export interface LedgerVerifierOptions {
  db: Database;
  /** Default: the system's. */
  clock?: Clock;
  emit: Emit;
  onError: (error: unknown) => void;
}

/**
 * Compares the last ten minutes of the ledger with what the schedules say, every five, and tells of gaps; after a time in which nobody did,
 * all of that time, a day at most. It runs in workers as well as in schedulers: a fleet whose schedulers are all dead hears of it from a worker. A process that has just started first gives
 * planners a minute: where the whole fleet was away they have a stretch of occurrences to catch up on, of which none is a gap.
 */
export function createLedgerVerifier({ db, clock = systemClock, emit, onError }: LedgerVerifierOptions): Loop {
  const startedMs = clock.monotonicMs();

  async function mayBeStarting(): Promise<boolean> {
    if (clock.monotonicMs() - startedMs >= SILENT_MS) return false;
    const sinceMs = await sincePlannerPass(db);
    return sinceMs === null || sinceMs > SILENT_MS;
  }

  async function runOnce(): Promise<number> {
    if (await mayBeStarting()) return STARTING_MS;
    if (!(await takeClusterLock(db, LOCK, EVERY_MS))) return LOOK_MS;
    const sinceMs = await sincePlannerPass(db);
    if (sinceMs !== null && sinceMs > SILENT_MS) emit({ event: 'planners_silent', sinceMs });
    const { now } = await pingDatabase(db);
    const named: LedgerFinding[] = [];
    const to = new Date(now.getTime() - VERIFY_DELAY_MS);
    const from = startOf(to, await doneUntil(db, LOCK));
    let until = to;
    const summary = await verifyLedger(db, {
      from,
      to,
      hours: { from: new Date(from.getTime() - ROLLED_UP_MS), to: new Date(to.getTime() - ROLLED_UP_MS) },
      // What is late or still to come is told of as such elsewhere.
      onFinding: (finding) => {
        if (isGap(finding) && named.length < NAMED) named.push(finding);
        // Planners are still on their way there: it is verified once they have come by.
        if (finding.kind === 'unplanned' && finding.scheduledFor < until) until = finding.scheduledFor;
      },
    });
    for (const { task, kind, scheduledFor, runId, detail } of named)
      emit({ event: 'ledger_finding', task, kind, scheduledFor, run: runId, detail });
    const { tasks, expected, findings, gaps } = summary;
    emit({ event: 'ledger_verified', tasks, expected, findings, gaps });
    await noteLedgerVerified(db, gaps === 0 ? null : { gaps, named: named.map(toWords) });
    await noteDoneUntil(db, LOCK, until);
    return LOOK_MS;
  }

  return createLoop({ name: 'ledger-verifier', runOnce, onError });
}

function startOf(to: Date, done: Date | null): Date {
  const latestMs = to.getTime() - WINDOW_MS;
  return new Date(Math.max(to.getTime() - MOST_MS, Math.min(latestMs, done?.getTime() ?? latestMs)));
}

function toWords({ task, kind, scheduledFor, detail }: LedgerFinding): string {
  return `${task} at ${scheduledFor.toISOString()}, ${kind}: ${detail}`;
}
