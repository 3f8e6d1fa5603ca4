import { unservedAdvice, unservedReason } from '@escapement/core';
import {
  type Database,
  type UnservedQueue,
  unservedQueues,
  unservedRun,
  unservedTask,
  whatHoldsBack,
} from '@escapement/store';

/** Why runs wait that no living worker can take. */
export interface Waits {
  /** Of the admission rule, or `unserved`: no living worker can take it. */
  code: string;
  /** A plain sentence. */
  reason: string;
  /** What somebody can do who wants it to run. */
  advice: string;
}

export interface WaitsForWorker extends UnservedQueue, Waits {}

/** The pools and needs of tasks that no living worker can serve. */
export async function listUnserved(db: Database, fleet: { deadMs: number }): Promise<WaitsForWorker[]> {
  return (await unservedQueues(db, fleet)).map(inWords);
}

/** Why the runs of a task wait for a worker; null: one that lives can take them. */
export async function whyTaskWaits(
  db: Database,
  name: string,
  fleet: { deadMs: number },
): Promise<WaitsForWorker | null> {
  const found = await unservedTask(db, name, fleet);
  return found && inWords(found);
}

/** Why a run has not begun: what would refuse it now, or that no living worker can take it; null: nothing that is known. */
export async function whyRunWaits(
  db: Database,
  run: { runId: string; scheduledFor: Date },
  fleet: { deadMs: number },
): Promise<Waits | null> {
  const held = await whatHoldsBack(db, run);
  if (held && held.code !== 'early') return held;
  const found = await unservedRun(db, run, fleet);
  if (!found) return held;
  const { code, reason, advice } = inWords(found);
  return { code, reason, advice };
}

function inWords(found: UnservedQueue): WaitsForWorker {
  return { ...found, code: 'unserved', reason: unservedReason(found), advice: unservedAdvice(found) };
}
