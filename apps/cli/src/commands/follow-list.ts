import { setTimeout as sleep } from 'node:timers/promises';
import { listRunChanges, listRuns } from '@escapement/api/routes';
import { SECOND } from '@escapement/core';
import type { Calls, SeenRun } from '../fleet.ts';

const LOOK_EVERY_MS = 1 * SECOND;
/** As many ids as the route takes. */
const PAGE = 100;

/** What distinguishes one line about a run from another. */
type RunStatus = Pick<SeenRun, 'id' | 'state' | 'attempt'>;

export interface FollowList {
  /** What is there, the earliest first: told at once. */
  listed: readonly SeenRun[];
  /** How runs stand that may have changed since the last look, a page after another. */
  look: () => AsyncIterable<readonly RunStatus[]>;
  /** The runs themselves. */
  read: (ids: readonly string[]) => AsyncIterable<SeenRun>;
  /** Told of a run once in each state and attempt that it is seen in. */
  print: (run: SeenRun) => void;
  signal: AbortSignal;
}

/** Goes on until it is stopped. Line by line: a table would not know the widths of what is still to come. */
export async function followList({ listed, look, read, print, signal }: FollowList): Promise<void> {
  for (const run of listed) print(run);
  let seen = new Set(listed.map(wordsOf));
  while (!signal.aborted) {
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
    const now = new Set<string>();
    for await (const page of look()) {
      if (signal.aborted) return;
      const fresh = page.filter((run) => !seen.has(wordsOf(run)) && !now.has(wordsOf(run)));
      for (const run of page) now.add(wordsOf(run));
      for await (const run of read(fresh.map(({ id }) => id))) {
        print(run);
        now.add(wordsOf(run));
      }
    }
    seen = now;
  }
}

function wordsOf({ id, state, attempt }: RunStatus): string {
  return `${id} ${state} ${attempt}`;
}

/**
 * Looks of which none misses the end of a run, however many end and whenever they were scheduled: the list itself, the runs that workers
 * hold, and those that have ended since the look before. Asked for before the list that is told at once.
 */
export async function changesOf(
  fleet: Calls,
  query: string,
  listed: () => Promise<readonly SeenRun[]>,
): Promise<Pick<FollowList, 'look' | 'read'>> {
  let { next: after } = await fleet.call(listRunChanges, { query: { query } });
  async function* look(): AsyncIterable<readonly RunStatus[]> {
    yield await listed();
    for (let more = true; more; ) {
      const changes = await fleet.call(listRunChanges, { query: { query, after } });
      yield changes.items;
      ({ next: after, more } = changes);
    }
  }
  async function* read(ids: readonly string[]): AsyncIterable<SeenRun> {
    for (let first = 0; first < ids.length; first += PAGE) {
      const asked = { query, ids: ids.slice(first, first + PAGE).join(',') };
      yield* (await fleet.call(listRuns, { query: asked })).items;
    }
  }
  return { look, read };
}
