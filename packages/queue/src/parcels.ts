import { systemClock } from '@escapement/core';
import { isBundleId, newBundleId, runJobId } from './keys.ts';
import { bullPriority, type RunJob, type RunJobData } from './run-job.ts';

/** What becomes one job: a run, or a bundle of several that are due at the same instant. */
export interface Parcel {
  jobId: string;
  runs: readonly RunJob[];
}

/** Fewer that are due together stay single, so that each worker with a place may take one. */
const MIN_BUNDLE = 20;

/** A worker with fewer places gives the rest back, which costs what the bundle saved. */
const MAX_BUNDLE = 25;

/** BullMQ's name of the job of a bundle. */
export const BUNDLE = 'bundle';

/** Runs of one pool. `passedMs` is how much of their delays is over. One that is there twice is taken once. */
export function toParcels(jobs: readonly RunJob[], passedMs: number): Parcel[] {
  const seen = new Set<string>();
  const together = new Map<string, RunJob[]>();
  for (const job of jobs) {
    const jobId = runJobId(job.runId, job.dispatch);
    if (seen.has(jobId)) continue;
    seen.add(jobId);
    const instant = `${job.priority ?? ''} ${wholeDelayMs(job.delayMs - passedMs)} ${job.first ?? false}`;
    const others = together.get(instant);
    if (others) others.push(job);
    else together.set(instant, [job]);
  }
  return [...together.values()].flatMap((runs) => (runs.length < MIN_BUNDLE ? runs.map(toSingle) : toBundles(runs)));
}

export function toSingle(job: RunJob): Parcel {
  return { jobId: runJobId(job.runId, job.dispatch), runs: [job] };
}

/** In parts as equal as can be. */
function toBundles(runs: readonly RunJob[]): Parcel[] {
  const now = systemClock.now();
  const parts = Math.ceil(runs.length / MAX_BUNDLE);
  const start = (part: number) => Math.round((part * runs.length) / parts);
  return Array.from({ length: parts }, (_, part) => ({
    jobId: newBundleId(now),
    runs: runs.slice(start(part), start(part + 1)),
  }));
}

/** BullMQ counts in whole milliseconds from one that has begun already: one more, so that it is never early. */
function wholeDelayMs(delayMs: number): number {
  return delayMs > 0 ? Math.ceil(delayMs) + 1 : 0;
}

export interface BullJob {
  name: string;
  data: RunJobData;
  opts: BullOptions;
}

interface BullOptions {
  jobId: string;
  delay: number;
  attempts: number;
  removeOnComplete: boolean;
  removeOnFail: boolean;
  priority?: number;
  lifo?: boolean;
}

export function toBullJob({ jobId, runs }: Parcel, passedMs: number): BullJob[] {
  const [first] = runs;
  if (!first) return [];
  const delay = wholeDelayMs(first.delayMs - passedMs);
  const opts: BullOptions = { jobId, delay, attempts: 1, removeOnComplete: true, removeOnFail: true };
  if (first.first) opts.lifo = true;
  if (first.priority !== undefined) opts.priority = bullPriority(first.priority);
  if (!isBundleId(jobId)) return [{ name: 'run', data: { v: 1, runId: first.runId, dispatch: first.dispatch }, opts }];
  return [{ name: BUNDLE, data: { v: 2, runs: runs.map(({ runId, dispatch }) => [runId, dispatch]) }, opts }];
}
