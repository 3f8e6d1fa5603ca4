import { gridAfter, isOnGrid, type TickGrid } from '@escapement/core';
import { z } from 'zod';

/** A task that ticks: a job scheduler of BullMQ makes a job at each instant of its grid. */
export interface Ticking extends TickGrid {
  pool: string;
  taskId: string;
  /** As `RunJob` has it. */
  priority?: number | undefined;
}

/** One tick: the occurrence of a task that is due at that instant. */
export interface Tick {
  pool: string;
  taskId: string;
  scheduledFor: Date;
}

/** Only ids cross Redis. A worker that does not know ticks takes it for malformed and drops it. */
const tickJobData = z.object({ v: z.literal(1), taskId: z.uuid() });

export type TickJobData = z.output<typeof tickJobData>;

/** A job scheduler's id says all of it: what differs is another one, and nothing has to be compared or updated. */
export function jobSchedulerId({ taskId, everyMs, phaseMs, priority }: Omit<Ticking, 'pool'>): string {
  const id = `t_${taskId}_${everyMs}_${phaseMs}`;
  return priority === undefined ? id : `${id}_${priority}`;
}

/** Undefined: it is none of ours. */
export function parseJobSchedulerId(id: string): Omit<Ticking, 'pool'> | undefined {
  const [, taskId, everyMs, phaseMs, priority] =
    /^t_([0-9a-f-]{36})_(\d{4,11})_(\d{1,11})(?:_(\d{1,3}))?$/.exec(id) ?? [];
  if (taskId === undefined) return undefined;
  const grid = { taskId, everyMs: Number(everyMs), phaseMs: Number(phaseMs) };
  return priority === undefined ? grid : { ...grid, priority: Number(priority) };
}

/** BullMQ's own name for the job that a job scheduler makes for an instant. */
export function tickJobId(schedulerId: string, atMs: number): string {
  return `repeat:${schedulerId}:${atMs}`;
}

export interface TickJob {
  tick: Tick;
  /** The job that BullMQ makes for the instant after it, and that instant. */
  next: { jobId: string; atMs: number };
}

/** What a job's id says of its tick; undefined: it is no tick of ours. */
export function parseTickJob(pool: string, jobId: string, now: Date): TickJob | undefined {
  const [, schedulerId = '', at] = /^repeat:(.+):(\d{1,15})$/.exec(jobId) ?? [];
  const ticking = parseJobSchedulerId(schedulerId);
  const atMs = Number(at);
  // One beside the grid was made by a clock that jumped; its job scheduler is made anew.
  if (!ticking || !isOnGrid(ticking, atMs)) return undefined;
  // Missed ticks collapse to one.
  const nextMs = Math.max(atMs + ticking.everyMs, gridAfter(ticking, now.getTime()));
  return {
    tick: { pool, taskId: ticking.taskId, scheduledFor: new Date(atMs) },
    next: { jobId: tickJobId(schedulerId, nextMs), atMs: nextMs },
  };
}

export function isTickData(data: unknown): boolean {
  return tickJobData.safeParse(data).success;
}
