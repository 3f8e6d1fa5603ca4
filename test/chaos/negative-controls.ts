import { setTimeout as delay } from 'node:timers/promises';
import { MINUTE, SECOND } from '@escapement/core';
import type { Call } from './evidence.ts';
import { type Fault, insertRuns, lookFor, nowMs, planSetBack, redisFlushed, type Scene } from './faults/index.ts';
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

/** Redis forgets jobs that no worker can have taken yet. */
const flushedAhead: Fault = {
  name: 'flushed-ahead',
  title: 'Redis flushed while jobs wait for their time',
  async inject(scene) {
    const found = await lookFor(scene.probe, 20 * SECOND, async () => {
      const ahead = await scene.ledger.sql(AHEAD);
      return ahead.length > 0 || undefined;
    });
    if (!found) throw new Error('no job waited for its time');
    return await redisFlushed.inject(scene);
  },
};

const AHEAD = `SELECT id FROM run WHERE state = 'queued' AND due_at > now() + interval '500 ms'`;

/** The worker of a long run reaches neither server, until that run has ended at another worker. */
const cutOffForLong: Fault = {
  name: 'cut-off-for-long',
  title: 'worker cut off amidst a long run',
  async inject(scene) {
    await insertRuns(scene, 'long', 1);
    const { runId } = await callOf('long', 1, scene);
    const { postgres, redis } = await workerOf(runId, scene);
    const fromMs = nowMs();
    for (const link of [postgres, redis]) link.hole();
    try {
      await callOf('long', 2, scene);
      const areOver = await lookFor(scene.probe, 1 * MINUTE, async () => {
        const calls = await scene.target.calls();
        return calls.every((call) => call.runId !== runId || call.endMs !== null) || undefined;
      });
      if (!areOver) throw new Error(`the calls of run ${runId} did not end for a minute`);
    } finally {
      for (const link of [postgres, redis]) link.pass();
    }
    const healedMs = nowMs();
    return { fromMs, healedMs, detail: `for ${((healedMs - fromMs) / SECOND).toFixed(1)} s` };
  },
};

/** The call of a task's first run at this attempt. That the ledger has a run at work does not mean that its worker knows. */
async function callOf(task: string, attempt: number, { target, probe }: Scene): Promise<Call> {
  const found = await lookFor(probe, 20 * SECOND, async () =>
    (await target.calls()).find((call) => call.task === task && call.attempt === attempt),
  );
  if (!found) throw new Error(`attempt ${attempt} of ${task} was not at the target for 20 s`);
  return found;
}

async function workerOf(runId: string, { ledger, fleet }: Scene): Promise<Member> {
  const [run] = (await ledger.sql('SELECT worker FROM run WHERE id = $1', [runId])) as { worker: string }[];
  const found = fleet.members.find(({ instance }) => instance === run?.worker);
  if (!found) throw new Error(`run ${runId} is at ${run?.worker}, which is no member`);
  return found;
}

export const CONTROLS: readonly Control[] = [
  { guard: GUARDS.uniqueIndex, fault: planSetBack, breaks: ['I1'] },
  { guard: GUARDS.slotFence, fault: flushedAmidst, breaks: ['I3'] },
  { guard: GUARDS.leaseDeadline, fault: cutOffForLong, breaks: ['I5'] },
  { guard: GUARDS.reconciler, fault: flushedAhead, breaks: ['I6', 'I9c', 'I14'] },
  { guard: GUARDS.rate, fault: redisFlushed, breaks: ['R1'] },
];
