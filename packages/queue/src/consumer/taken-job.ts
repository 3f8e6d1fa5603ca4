import type { Job } from 'bullmq';
import type { QueueWorker } from './queue-worker.ts';

/** A job that BullMQ has brought. */
export interface TakenJob {
  queue: string;
  worker: QueueWorker;
  job: Job<unknown, void>;
  token: string | undefined;
}
