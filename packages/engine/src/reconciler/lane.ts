import { randomUUID } from 'node:crypto';
import { SECOND } from '@escapement/core';
import { createLoop, type Service } from '@escapement/service';
import { type Database, holdGate, leaveGate, recordDrift } from '@escapement/store';
import type { Emit } from '../events.ts';
import { healAll } from './pass.ts';
import type { HealingStep } from './step.ts';

/** One replica in each interval compares queue and ledger. */
const EVERY_MS = 1 * SECOND;
/** A replica that has not come to its next pass for so long has died in this one. */
const HOLD_MS = 15 * SECOND;

export interface LaneOptions {
  db: Database;
  emit: Emit;
  onError: (error: unknown) => void;
}

/**
 * Steps that one replica takes in each interval. A pass that leaves some is followed by the next at once, and the gate
 * stays shut for the others. If it lapses all the same two may heal at once, which does no harm.
 */
export function createLane(name: string, steps: readonly HealingStep[], options: LaneOptions): Service {
  const { db, emit, onError } = options;
  const holder = randomUUID();

  async function pass(): Promise<boolean> {
    const { counts, more } = await healAll(steps, onError);
    if (Object.keys(counts).length === 0) return more;
    emit({ event: 'drift', counts });
    await recordDrift(db, counts);
    return more;
  }

  async function runOnce(): Promise<number> {
    if (!(await holdGate(db, { name, holder, everyMs: EVERY_MS, holdMs: HOLD_MS }))) return EVERY_MS;
    let more = false;
    try {
      more = await pass();
    } finally {
      if (!more) await leaveGate(db, name, holder);
    }
    return more ? 0 : EVERY_MS;
  }

  const loop = createLoop({ name, runOnce, onError });
  return {
    ...loop,
    async stop() {
      await loop.stop();
      await leaveGate(db, name, holder).catch(onError);
    },
  };
}
