import { gridAfter, isOnGrid, type RepeatGrid } from '@escapement/core';
import { z } from 'zod';

/** A repeatable job of a task: a job scheduler of BullMQ makes a job at each instant of its grid. */
export interface RepeatableJob extends RepeatGrid {
  queue: string;
  taskId: string;
  /** As `RunJob` has it. */
  priority?: number | undefined;
}

/** One repeat: the occurrence of a task that is due at that instant. */
export interface Repeat {
  queue: string;
  taskId: string;
  scheduledFor: Date;
}

/** Only ids cross Redis. A worker that does not know repeats takes it for malformed and drops it. */
const repeatJobData = z.object({ v: z.literal(1), taskId: z.uuid() });

export type RepeatJobData = z.output<typeof repeatJobData>;

/** A job scheduler's id says all of it: what differs is another one, and nothing has to be compared or updated. */
export function jobSchedulerId({ taskId, everyMs, phaseMs, priority }: Omit<RepeatableJob, 'queue'>): string {
  const id = `t_${taskId}_${everyMs}_${phaseMs}`;
  return priority === undefined ? id : `${id}_${priority}`;
}

/** Undefined: it is none of ours. */
export function parseJobSchedulerId(id: string): Omit<RepeatableJob, 'queue'> | undefined {
  const [, taskId, everyMs, phaseMs, priority] =
    /^t_([0-9a-f-]{36})_(\d{4,11})_(\d{1,11})(?:_(\d{1,3}))?$/.exec(id) ?? [];
  if (taskId === undefined) return undefined;
  const grid = { taskId, everyMs: Number(everyMs), phaseMs: Number(phaseMs) };
  return priority === undefined ? grid : { ...grid, priority: Number(priority) };
}

/** BullMQ's own name for the job that a job scheduler makes for an instant. */
export function repeatJobId(schedulerId: string, atMs: number): string {
  return `repeat:${schedulerId}:${atMs}`;
}

export interface RepeatJob {
  repeat: Repeat;
  /** The job that BullMQ makes for the instant after it, and that instant. */
  next: { jobId: string; atMs: number };
}

/** What a job's id says of its repeat; undefined: it is no repeat of ours. */
export function parseRepeatJob(queue: string, jobId: string, now: Date): RepeatJob | undefined {
  const [, schedulerId = '', at] = /^repeat:(.+):(\d{1,15})$/.exec(jobId) ?? [];
  const repeatable = parseJobSchedulerId(schedulerId);
  const atMs = Number(at);
  // One beside the grid was made by a clock that jumped; its job scheduler is made anew.
  if (!repeatable || !isOnGrid(repeatable, atMs)) return undefined;
  // Missed repeats collapse to one.
  const nextMs = Math.max(atMs + repeatable.everyMs, gridAfter(repeatable, now.getTime()));
  return {
    repeat: { queue, taskId: repeatable.taskId, scheduledFor: new Date(atMs) },
    next: { jobId: repeatJobId(schedulerId, nextMs), atMs: nextMs },
  };
}

export function isRepeatData(data: unknown): boolean {
  return repeatJobData.safeParse(data).success;
}
