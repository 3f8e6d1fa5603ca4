import { type By, EscapementError, nearestInstant } from '@escapement/core';
import {
  type Database,
  type PauseWindow,
  pauseTask as pause,
  pingDatabase,
  resumeTask as resume,
  type Task,
} from '@escapement/store';
import { permitOnTask } from '../rights/permit.ts';
import { requireTask, unknownTask } from './require-task.ts';
import { readOccurrences } from './task-occurrences.ts';

/** Occurrences that can be skipped at once. */
export const MOST_SKIPPED = 1000;

/**
 * Skips what falls due from now on, until an instant or until the task is resumed (null). Each skipped run is a row with the reason.
 * Throws `unknown_task`, `bad_instant` for an end that has passed.
 */
export async function pauseTask(db: Database, name: string, untilAt: Date | null, by: By): Promise<void> {
  await permitOnTask(db, by, 'pause', { name, action: 'pause' });
  await checkEnd(db, untilAt);
  if (!(await pause(db, { name, untilAt, by }))) throw await unknownTask(db, name);
}

/** Throws `bad_instant` for the end of a pause, a silence or the like that has passed. */
export async function checkEnd(db: Database, untilAt: Date | null): Promise<void> {
  if (!untilAt || untilAt > (await pingDatabase(db)).now) return;
  throw new EscapementError('bad_instant', `it is to last until ${untilAt.toISOString()}, which has passed`, {
    fix: 'give an instant that is still to come',
  });
}

/** Ends the pauses of a task; what was skipped is not run later. Returns how many there were. Throws `unknown_task`. */
export async function resumeTask(db: Database, name: string, by: By): Promise<number> {
  await permitOnTask(db, by, 'pause', { name, action: 'resume' });
  const ended = await resume(db, name, by);
  if (ended === null) throw await unknownTask(db, name);
  return ended;
}

/**
 * Skips the next occurrences of a task, by a pause that ends right after the last of them. Returns them. Throws
 * `unknown_task`, `too_few_occurrences`.
 */
export async function skipOccurrences(db: Database, name: string, count: number, by: By): Promise<Date[]> {
  await permitOnTask(db, by, 'pause', { name, action: 'pause' });
  const task = await requireTask(db, name);
  const { now } = await pingDatabase(db);
  const occurrences = await nextToRun(db, task, count, now);
  const last = occurrences.at(-1);
  if (!last || occurrences.length < count) throw tooFew(name, count, occurrences.length);
  const reason = by.reason ?? `the next ${count === 1 ? 'occurrence' : `${count} occurrences`} skipped`;
  await pauseTask(db, name, nearestInstant(last.getTime() + 1), { ...by, reason });
  return occurrences;
}

/** The next occurrences that no calendar leaves out and no pause skips already. */
async function nextToRun(db: Database, task: Task, count: number, now: Date): Promise<Date[]> {
  const { kind } = task.definition.schedule;
  // Counted from the end of a run: only the next one is known.
  if (kind === 'fixed-delay') return task.nextStartAt ? [task.nextStartAt] : [];
  const { next, excluded } = await readOccurrences(db, task.definition);
  const found: Date[] = [];
  let at = next(now);
  for (let looked = 0; at && found.length < count && looked < 10 * MOST_SKIPPED; looked++, at = next(at))
    if (excluded(at) === null && !isPaused(task.pauses, at)) found.push(at);
  return found;
}

function isPaused(pauses: readonly PauseWindow[], at: Date): boolean {
  return pauses.some(({ fromAt, untilAt }) => fromAt <= at && (untilAt === null || at < untilAt));
}

function tooFew(name: string, wanted: number, found: number): EscapementError {
  return new EscapementError('too_few_occurrences', `${name} has ${found} occurrences to skip, not ${wanted}`, {
    fix: 'see `escapement next --task`; a pause skips whatever falls due until it is ended',
  });
}
