import { OVERLAP_RULES, type OverlapPolicy, type OverlapRules } from '../overlap.ts';

/** A run that wants a slot of its key. */
export interface KeyStart {
  /** When it is due, in milliseconds since the epoch. */
  at: number;
  /** How long it would take. Milliseconds. */
  tookMs: number;
  overlap: OverlapPolicy;
}

/** What becomes of it. */
export interface KeyVerdict {
  /** When it starts, in milliseconds since the epoch; null: it is skipped. */
  startedAt: number | null;
  /** It asked a run at work to stop. */
  replaces: boolean;
}

/** Decides what becomes of the runs of a key that come in the order of their due times, by their overlap policies, as begins do. */
export function createKeyQueue(limit: number): (start: KeyStart) => KeyVerdict {
  /** When each slot is free again. */
  const freeAt: number[] = [];
  /** The starts of those that wait. */
  let waiting: number[] = [];

  return ({ at, tookMs, overlap }) => {
    const { takesSlot, onBusy, maxWaiting } = OVERLAP_RULES[overlap.policy];
    if (!takesSlot) return { startedAt: at, replaces: false };
    const slot = freeAt.length < limit ? freeAt.length : earliest(freeAt);
    const free = freeAt[slot] ?? Number.NEGATIVE_INFINITY;
    if (free <= at) {
      freeAt[slot] = at + tookMs;
      return { startedAt: at, replaces: false };
    }
    if (onBusy === 'replace') {
      freeAt[slot] = at + tookMs;
      return { startedAt: at, replaces: true };
    }
    waiting = waiting.filter((startsAt) => startsAt > at);
    const mostWaiting = 'maxWaiting' in overlap ? (overlap.maxWaiting ?? maxWaiting) : maxWaiting;
    const isFull = onBusy === 'wait' && waiting.length >= (mostWaiting ?? Number.POSITIVE_INFINITY);
    if (isFull || free - at > mostWait(overlap, onBusy)) return { startedAt: null, replaces: false };
    freeAt[slot] = free + tookMs;
    waiting.push(free);
    return { startedAt: free, replaces: false };
  };
}

/** How long a run waits for its key before it is skipped. Milliseconds. */
function mostWait(overlap: OverlapPolicy, onBusy: OverlapRules['onBusy']): number {
  if (onBusy === 'skip') return ('skipAfterMs' in overlap ? overlap.skipAfterMs : undefined) ?? 0;
  return ('maxWaitMs' in overlap ? overlap.maxWaitMs : undefined) ?? Number.POSITIVE_INFINITY;
}

function earliest(freeAt: readonly number[]): number {
  let first = 0;
  for (let slot = 1; slot < freeAt.length; slot++) if ((freeAt[slot] ?? 0) < (freeAt[first] ?? 0)) first = slot;
  return first;
}
