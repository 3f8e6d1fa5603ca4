import { type Clock, SECOND } from '@escapement/core';
import type { RunJob } from './run-job.ts';
import type { RunQueue } from './run-queue.ts';

/** Runs of a queue that become due within so many milliseconds are counted together. */
export const WINDOW_MS = 20;
/** As many of them are no burst; what is beyond steps back. */
export const MAX_IN_WINDOW = 50;

/** What is overdue by more, in milliseconds, is counted when it is added, and apart from what is due then. */
const LATE_MS = 10 * SECOND;

/**
 * A queue in which a burst does not hold up other work. Of the runs of a queue that become due within the same 20 ms, those
 * beyond the first fifty step back: workers take them, in their order, when nothing else of their priority waits. So a
 * hundred thousand runs that are due at once, of one task or of as many, leave a run that is due later on time.
 *
 * Each process counts what it adds itself. While more than fifty runs come in each window for longer than the workers can follow, what
 * has stepped back waits for all others: nothing is lost by that, and the counts of the queue show it.
 */
export function letBurstsStepBack(queue: RunQueue, { clock }: { clock: Clock }): RunQueue {
  const counts = new Map<string, number>();
  let forgottenMs = clock.monotonicMs();

  function isBeyond(job: RunJob, nowMs: number): boolean {
    const { queue: name, delayMs, dueMs = nowMs + delayMs } = job;
    const isLate = nowMs - dueMs > LATE_MS;
    const place = `${windowOf(isLate ? nowMs : dueMs)} ${isLate ? 'late' : 'due'} ${name}`;
    const before = counts.get(place) ?? 0;
    counts.set(place, before + 1);
    return before >= MAX_IN_WINDOW;
  }

  /** Seldom, as it scans all windows. */
  function forgetPast(nowMs: number): void {
    if (clock.monotonicMs() - forgottenMs < LATE_MS) return;
    forgottenMs = clock.monotonicMs();
    const oldest = windowOf(nowMs - LATE_MS);
    for (const place of counts.keys()) if (Number.parseInt(place, 10) < oldest) counts.delete(place);
  }

  return {
    ...queue,
    add(jobs) {
      const nowMs = clock.now().getTime();
      forgetPast(nowMs);
      return queue.add(jobs.map((job) => (!job.first && isBeyond(job, nowMs) ? { ...job, stepsBack: true } : job)));
    },
  };
}

function windowOf(ms: number): number {
  return Math.floor(ms / WINDOW_MS);
}
