import { randomUUID } from 'node:crypto';
import { addDrift, type Clock, type DriftCounts, type Emit, SECOND } from '@escapement/core';
import { createLoop, type Service } from '@escapement/service';
import { type Database, holdClusterLock, probeLedger, recordDrift, releaseClusterLock } from '@escapement/store';
import { NO_PROBES, type Probes } from '../probes.ts';
import { healAll } from './pass.ts';
import type { HealingStep } from './step.ts';

/** One replica in each interval compares queue and ledger: the same one, as long as it comes. */
const EVERY_MS = 1 * SECOND;
/** The loop's waits are up to a tenth shorter; the replica that had the last pass must not come too early for its next. */
const LOCK_EVERY_MS = 0.9 * EVERY_MS;
/**
 * A replica that has not come to its next pass for so long has died, or is frozen. Short, since nobody heals meanwhile, and
 * what it died with (rows without jobs) may be due at once.
 */
const HOLD_MS = 2 * SECOND;
/** With no run in the ledger that has not ended there is nothing to heal but what such runs have left behind: seldom, and not urgent. */
const IDLE_MS = 5 * SECOND;

/** A run that has not ended is one of these, or is due later than queues are told of. */
const OPEN_RUNS = ['live', 'waiting', 'cancelling', 'late', 'untold', 'unrepeated'] as const;

export interface LoopOptions {
  db: Database;
  /** Asked before each pass. Default: each is made. */
  probes?: Pick<Probes, 'see'>;
  clock: Clock;
  /** Whether this process' clock may be trusted with work; else another replica has to. */
  mayWork: () => boolean;
  emit: Emit;
  onError: (error: unknown) => void;
}

/**
 * Steps that one replica takes in each interval, the same one as long as it comes. A pass that leaves some is followed by
 * the next at once. If the cluster lock lapses all the same two may heal at once, which does no harm.
 */
export function createReconcilerLoop(name: string, steps: readonly HealingStep[], options: LoopOptions): Service {
  const { db, probes = NO_PROBES, clock, mayWork, emit, onError } = options;
  const holder = randomUUID();
  let found: DriftCounts = {};
  let toldMs = Number.NEGATIVE_INFINITY;
  let askedMs = Number.NEGATIVE_INFINITY;

  /** Passes that follow one another at once are told of together, once a second. */
  async function tell(more: boolean): Promise<void> {
    const counts = found;
    if (Object.keys(counts).length === 0 || (more && clock.monotonicMs() - toldMs < EVERY_MS)) return;
    found = {};
    toldMs = clock.monotonicMs();
    emit({ event: 'drift', counts });
    await recordDrift(db, counts);
  }

  async function pass(): Promise<boolean> {
    const { counts, more } = await healAll(steps, (kinds) => probeLedger(db, kinds), onError);
    found = addDrift(found, counts);
    await tell(more);
    return more;
  }

  async function runOnce(): Promise<number> {
    if (!mayWork()) return EVERY_MS;
    if (clock.monotonicMs() - askedMs < IDLE_MS && !(await probes.see(...OPEN_RUNS))) return EVERY_MS;
    askedMs = clock.monotonicMs();
    if (!(await holdClusterLock(db, { name, holder, everyMs: LOCK_EVERY_MS, holdMs: HOLD_MS }))) return EVERY_MS;
    // Kept until the next pass: to give it back each time would be a commit more a second.
    return (await pass()) ? 0 : EVERY_MS;
  }

  const loop = createLoop({ name, runOnce, onError });
  return {
    ...loop,
    async stop() {
      await loop.stop();
      await releaseClusterLock(db, name, holder).catch(onError);
    },
  };
}
