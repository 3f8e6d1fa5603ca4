import { setTimeout as sleep } from 'node:timers/promises';
import { SECOND } from '@escapement/core';
import type { RunView } from '@escapement/store';

const LOOK_EVERY_MS = 1 * SECOND;

export interface FollowList {
  /** What is there, the earliest first: told at once. */
  told: readonly RunView[];
  /** The same list again, the latest first. */
  look: () => Promise<readonly RunView[]>;
  /** Told of a run once in each state and attempt that it is seen in. */
  tell: (run: RunView) => void;
  signal: AbortSignal;
}

/** Goes on until it is stopped. Line by line: a table would not know the widths of what is still to come. */
export async function followList({ told, look, tell, signal }: FollowList): Promise<void> {
  for (const run of told) tell(run);
  let seen = new Set(told.map(standOf));
  while (!signal.aborted) {
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    const runs = [...(await look())].reverse();
    for (const run of runs) if (!seen.has(standOf(run))) tell(run);
    seen = new Set(runs.map(standOf));
  }
}

function standOf({ id, state, attempt }: RunView): string {
  return `${id} ${state} ${attempt}`;
}
