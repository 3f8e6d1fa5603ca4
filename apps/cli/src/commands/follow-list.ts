import { setTimeout as sleep } from 'node:timers/promises';
import { SECOND } from '@escapement/core';
import type { RunView } from '@escapement/store';
import {
  type Database,
  type EndedRun,
  endedRuns,
  heldByWorkers,
  listRuns,
  type RunFilter,
  runsAmong,
} from '@escapement/store';

const LOOK_EVERY_MS = 1 * SECOND;
/** An end is written with its time, and seen once it is committed: so long after that at most. */
const COMMITTED_WITHIN_MS = 5 * SECOND;
const PAGE = 1000;

/** What distinguishes one line about a run from another. */
type Stand = Pick<RunView, 'id' | 'state' | 'attempt'>;

export interface FollowList {
  /** What is there, the earliest first: told at once. */
  told: readonly RunView[];
  /** How runs stand that may have changed since the last look, a page after another. */
  look: () => AsyncIterable<readonly Stand[]>;
  /** The runs themselves. */
  read: (ids: readonly string[]) => Promise<readonly RunView[]>;
  /** Told of a run once in each state and attempt that it is seen in. */
  tell: (run: RunView) => void;
  signal: AbortSignal;
}

/** Goes on until it is stopped. Line by line: a table would not know the widths of what is still to come. */
export async function followList({ told, look, read, tell, signal }: FollowList): Promise<void> {
  for (const run of told) tell(run);
  let seen = new Set(told.map(wordsOf));
  while (!signal.aborted) {
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
    const now = new Set<string>();
    for await (const page of look()) {
      if (signal.aborted) return;
      const fresh = page.filter((run) => !seen.has(wordsOf(run)) && !now.has(wordsOf(run)));
      for (const run of page) now.add(wordsOf(run));
      for (const run of await read(fresh.map(({ id }) => id))) {
        tell(run);
        now.add(wordsOf(run));
      }
    }
    seen = now;
  }
}

function wordsOf({ id, state, attempt }: Stand): string {
  return `${id} ${state} ${attempt}`;
}

/**
 * Looks of which none misses the end of a run, however many end and whenever they were scheduled: the list itself, the runs that workers
 * hold, and those that have ended since the look before.
 */
export async function changesOf(
  db: Database,
  { listed, filter, deadMs }: { listed: () => RunFilter; filter: RunFilter; deadMs: number },
): Promise<Pick<FollowList, 'look' | 'read'>> {
  const { now: start } = await heldByWorkers(db, deadMs);
  let since = start;
  async function* look(): AsyncIterable<readonly Stand[]> {
    yield (await listRuns(db, listed())).reverse();
    const { now, ids } = await heldByWorkers(db, deadMs);
    yield await runsAmong(db, filter, ids);
    let after: EndedRun | undefined;
    do {
      const page: EndedRun[] = await endedRuns(db, filter, { since, after, limit: PAGE });
      yield page;
      after = page.length === PAGE ? page.at(-1) : undefined;
    } while (after);
    since = new Date(Math.max(start.getTime(), now.getTime() - COMMITTED_WITHIN_MS));
  }
  return { look, read: (ids) => runsAmong(db, filter, ids) };
}
