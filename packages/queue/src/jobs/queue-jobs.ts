import { answered, openOf, type RedisConnection } from '../redis/connection.ts';
import { isBundleId, runJobId } from '../redis/keys.ts';
import { createBundleMembers } from './bundle-members.ts';
import { type JobBatch, toBullJob, toJobBatches } from './job-batches.ts';
import { createQueues } from './queues.ts';
import type { RunJob, RunJobData, RunRef } from './run-job.ts';

/** Jobs, but for `bundled`. */
export interface QueueCounts {
  waiting: number;
  delayed: number;
  active: number;
  /** How many of these are the next repeat of a task. */
  repeats: number;
  /** By how much there are more runs than jobs, since some jobs are bundles of several. */
  bundled: number;
}

/** The jobs of one queue, each for a run or for a bundle of several. All functions reject as the connection does. */
export interface QueueJobs {
  /** `passedMs` is how much of the delays is over. Returns what has become a job, without what Redis held already. */
  add(jobs: readonly RunJob[], passedMs: number): Promise<readonly JobBatch[]>;
  present(refs: readonly RunRef[]): Promise<boolean[]>;
  /** What cannot be removed stays. Returns how many runs went. */
  remove(refs: readonly RunRef[]): Promise<number>;
  counts(): Promise<QueueCounts>;
  /** Ends the delay of a job. */
  promote(jobId: string): Promise<unknown>;
}

export function createQueueJobs(connection: RedisConnection): (queue: string) => QueueJobs {
  const queueOf = createQueues<RunJobData>(connection);
  const members = createBundleMembers(openOf(connection).client, connection.namespace);

  async function entered(queue: string, batches: readonly JobBatch[]): Promise<readonly JobBatch[]> {
    const bundles = batches.filter(({ jobId }) => isBundleId(jobId));
    if (bundles.length === 0) return batches;
    const singles = batches.filter(({ jobId }) => !isBundleId(jobId));
    return [...(await answered(connection, members.enter(queue, bundles))), ...singles];
  }

  async function removeJobs(queue: string, jobIds: readonly string[]): Promise<number> {
    const results = await Promise.allSettled(jobIds.map((jobId) => queueOf(queue).remove(jobId)));
    return results.filter((result) => result.status === 'fulfilled' && result.value === 1).length;
  }

  return (queue) => ({
    async add(jobs, passedMs) {
      const batches = await entered(queue, toJobBatches(jobs, passedMs));
      await answered(connection, queueOf(queue).addBulk(batches.flatMap((batch) => toBullJob(batch, passedMs))));
      return batches;
    },
    present: (refs) => answered(connection, members.present(queue, refs)),
    async remove(refs) {
      const { taken, empty } = await answered(connection, members.takeOut(queue, refs));
      const alone = refs.filter((_, index) => taken[index] === false);
      const [removed] = await Promise.all([
        removeJobs(
          queue,
          alone.map(({ runId, dispatch }) => runJobId(runId, dispatch)),
        ),
        removeJobs(queue, empty),
      ]);
      return refs.length - alone.length + removed;
    },
    async counts() {
      const counting = Promise.all([
        queueOf(queue).getJobCounts('waiting', 'prioritized', 'delayed', 'active'),
        // A job scheduler always has one job ahead.
        queueOf(queue).getJobSchedulersCount(),
        members.surplus(queue),
      ]);
      const [counts, repeats, bundled] = await answered(connection, counting);
      const waiting = (counts.waiting ?? 0) + (counts.prioritized ?? 0);
      return { waiting, delayed: counts.delayed ?? 0, active: counts.active ?? 0, repeats, bundled };
    },
    promote: (jobId) => queueOf(queue).getBackend().promote(jobId),
  });
}
