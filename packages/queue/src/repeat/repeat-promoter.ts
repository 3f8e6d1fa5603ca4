import { systemClock } from '@escapement/core';
import { createDueTimer } from '../consumer/due-timer.ts';
import type { QueueWorker } from '../consumer/queue-worker.ts';
import { READY_AHEAD_MS } from '../jobs/run-job.ts';
import type { RepeatJob } from './repeat-job.ts';

/** Makes repeats ready shortly before they are due, as the scheduler does with the delayed jobs that it added. */
export interface RepeatPromoter {
  /** The repeat has come to this worker, which has thereby made the next one: BullMQ does so when a repeat starts. */
  hold(repeat: RepeatJob): void;
  stop(): void;
}

export function createRepeatPromoter(
  workerOf: (queue: string) => QueueWorker | undefined,
  now: () => Date,
): RepeatPromoter {
  const promoter = createDueTimer<{ queue: string; jobId: string }>({
    onDue(due) {
      for (const { queue, jobId } of due) {
        // It fails where BullMQ was faster, the job is gone, or Redis is away: the delayed job is the fallback.
        workerOf(queue)
          ?.getBackend()
          .promote(jobId)
          .catch(() => undefined);
      }
    },
  });
  return {
    hold({ repeat: { queue }, next }) {
      promoter.hold(systemClock.monotonicMs() + next.atMs - now().getTime() - READY_AHEAD_MS, {
        queue,
        jobId: next.jobId,
      });
    },
    stop: promoter.stop,
  };
}
