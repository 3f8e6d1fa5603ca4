import { systemClock } from '@escapement/core';
import { isBundleId, newBundleId, runJobId } from '../redis/keys.ts';
import { bullPriority, READY_AHEAD_MS, type RunJob, type RunJobData } from './run-job.ts';

/** What becomes one job: a run, or a bundle of several that are due together. */
export interface JobBatch {
  jobId: string;
  runs: readonly RunJob[];
}

/** Fewer that are due at one instant stay single, so that each worker with a place may take one. */
const MIN_AT_ONCE = 10;

/** From two on, runs of one window that are due at different instants share a job. */
const MIN_IN_WINDOW = 2;

/**
 * The length of a window, in milliseconds: a queue's runs that are due within it may share a job, and their worker begins each at its own
 * instant. At 100 runs a second, evenly spread, the commands of Redis fell from 81 to 37 a run by it.
 */
export const WINDOW_MS = 200;

/** A worker with fewer places gives the rest back, which costs what the bundle saved. */
const MAX_BUNDLE = 25;

/** BullMQ's name of the job of a bundle. */
export const BUNDLE = 'bundle';

/** Runs of one pool. `passedMs` is how much of their delays is over. One that is there twice is taken once. */
export function toJobBatches(jobs: readonly RunJob[], passedMs: number): JobBatch[] {
  const seen = new Set<string>();
  const together = new Map<string, RunJob[]>();
  for (const job of jobs) {
    const jobId = runJobId(job.runId, job.dispatch);
    if (seen.has(jobId)) continue;
    seen.add(jobId);
    const instant = `${bullPriority(job)} ${instantOf(job, passedMs)} ${job.first ?? false}`;
    const others = together.get(instant);
    if (others) others.push(job);
    else together.set(instant, [job]);
  }
  return [...together.values()].flatMap((runs) => (areBundled(runs, passedMs) ? toBundles(runs) : runs.map(toSingle)));
}

function areBundled(together: readonly RunJob[], passedMs: number): boolean {
  // What is due now is so for each worker, whenever it was due.
  const areSpread = together.some((run) => run.dueMs !== together[0]?.dueMs && jobDelayMs(run, passedMs) > 0);
  return together.length >= (areSpread ? MIN_IN_WINDOW : MIN_AT_ONCE);
}

/** What runs have in common that are due together. */
function instantOf(job: RunJob, passedMs: number): string {
  const delayMs = jobDelayMs(job, passedMs);
  if (job.dueMs === undefined || delayMs === 0) return String(delayMs);
  return `at ${Math.floor(job.dueMs / WINDOW_MS)}`;
}

/** How long the job is held back, from now on. */
export function jobDelayMs({ delayMs, dueMs }: RunJob, passedMs: number): number {
  return wholeDelayMs(delayMs - passedMs - (dueMs === undefined ? 0 : READY_AHEAD_MS));
}

export function toSingle(job: RunJob): JobBatch {
  return { jobId: runJobId(job.runId, job.dispatch), runs: [job] };
}

/** In parts as equal as can be, who is due first in front. */
function toBundles(together: readonly RunJob[]): JobBatch[] {
  const runs = together.toSorted((one, other) => (one.dueMs ?? 0) - (other.dueMs ?? 0));
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

export function toBullJob({ jobId, runs }: JobBatch, passedMs: number): BullJob[] {
  const [first] = runs;
  if (!first) return [];
  const delay = jobDelayMs(first, passedMs);
  const opts: BullOptions = { jobId, delay, attempts: 1, removeOnComplete: true, removeOnFail: true };
  if (first.first) opts.lifo = true;
  const priority = bullPriority(first);
  if (priority > 0) opts.priority = priority;
  if (!isBundleId(jobId))
    return [{ name: 'run', data: { v: 1, runId: first.runId, dispatch: first.dispatch, dueMs: first.dueMs }, opts }];
  return [
    {
      name: BUNDLE,
      data: { v: 2, runs: runs.map(({ runId, dispatch, dueMs }) => [runId, dispatch, dueMs ?? null]) },
      opts,
    },
  ];
}
