import { setTimeout as delay } from 'node:timers/promises';
import { SECOND } from '@escapement/core';
import {
  during,
  type Fault,
  insertRuns,
  lookFor,
  nowMs,
  planSetBack,
  redisFlushed,
  type Scene,
} from './faults/index.ts';
import type { Member } from './fleet.ts';
import { GUARDS, type Guard } from './guards.ts';

/** A promise that must break when its guard is taken away and just this happens. */
export interface Control {
  guard: Guard;
  fault: Fault;
  breaks: string[];
}

/** A busy machine has fewer runs at work at each. */
const TIMES = 8;

/** Redis forgets the leases of runs that go on, while the next occurrences of their keys come due. */
const flushedAmidst: Fault = {
  name: 'flushed-amidst',
  title: 'Redis flushed again and again',
  async inject(scene) {
    const fromMs = nowMs();
    for (let times = 0; times < TIMES; times++) {
      await redisFlushed.inject(scene);
      await delay(700);
    }
    return { fromMs, healedMs: nowMs(), detail: `${TIMES} times` };
  },
};

/** The worker of a run of 20 s reaches neither server for as long as that run lasts. */
const cutOffForLong: Fault = {
  name: 'cut-off-for-long',
  title: 'worker cut off amidst a long run',
  async inject(scene) {
    await insertRuns(scene, 'long', 1);
    const { postgres, redis } = await holderOf('long', scene);
    return await during(
      scene.leaseMs + 10 * SECOND,
      () => [postgres, redis].map((link) => link.hole()),
      () => [postgres, redis].map((link) => link.pass()),
    );
  },
};

async function holderOf(task: string, { ledger, fleet, probe }: Scene): Promise<Member> {
  const found = await lookFor(probe, 20 * SECOND, async () => {
    const [run] = await ledger.running(task, 20 * SECOND);
    return fleet.members.find(({ instance }) => instance === run?.worker);
  });
  if (!found) throw new Error(`nobody took a run of ${task} for 20 s`);
  return found;
}

export const CONTROLS: readonly Control[] = [
  { guard: GUARDS.uniqueIndex, fault: planSetBack, breaks: ['I1'] },
  { guard: GUARDS.slotFence, fault: flushedAmidst, breaks: ['I3'] },
  { guard: GUARDS.leaseDeadline, fault: cutOffForLong, breaks: ['I5'] },
  { guard: GUARDS.reconciler, fault: redisFlushed, breaks: ['I6', 'I9c', 'I14'] },
  { guard: GUARDS.rate, fault: redisFlushed, breaks: ['R1'] },
];
