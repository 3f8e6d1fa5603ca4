import { isNoted, OVERLAP_RULES, type OverlapName, type Verdict } from '@escapement/core';
import type { BegunRun, TaskVersion } from '@escapement/store';
import { nextOccurrence } from './next-occurrence.ts';

/** No occurrence of the key is due sooner after an end that waits, in milliseconds: the wait, the statement, and as much again. */
const KEY_FREE_MS = 100;

/** A run that is to end, and what is known of who may miss its end. */
export interface Ending {
  run: Pick<BegunRun, 'origin' | 'batchId' | 'scheduledFor'>;
  task: TaskVersion;
  /** Of the run. */
  overlap: OverlapName;
  verdict: Verdict;
  /** Postgres' clock; null: it is not known. */
  now: Date | null;
}

/**
 * Whether nobody misses anything if the end of a run is written some milliseconds later: neither a run of its key, nor one that follows it, nor a
 * person who has asked for it; and if its worker dies meanwhile, it may run again.
 */
export function mayWait(ending: Ending): boolean {
  const { run, task, verdict } = ending;
  const { delivery, schedule } = task.definition;
  return (
    verdict.to === 'succeeded' &&
    verdict.effects === undefined &&
    run.origin === 'schedule' &&
    run.batchId === null &&
    delivery === 'at-least-once' &&
    schedule.kind !== 'fixed-delay' &&
    !isNoted(task.definition, verdict.to) &&
    isKeyLeftAlone(ending)
  );
}

function isKeyLeftAlone({ run, task, overlap, now }: Ending): boolean {
  const { takesSlot, onBusy } = OVERLAP_RULES[overlap];
  if (!takesSlot) return true;
  const { key, overlap: declared } = task.definition;
  const maySomebodyWait = onBusy !== 'skip' || 'skipAfterMs' in declared || key !== undefined;
  if (maySomebodyWait || now === null) return false;
  const next = nextOccurrence(task, run.scheduledFor);
  return next === null || next.getTime() - now.getTime() > KEY_FREE_MS;
}
