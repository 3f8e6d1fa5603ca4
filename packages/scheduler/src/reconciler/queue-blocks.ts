import { type Clock, type Emit, MINUTE, type QueueBlock, SECOND, sinceFirstSeen } from '@escapement/core';
import type { QueueContents } from '@escapement/queue';
import { type Database, noteQueueBlocks } from '@escapement/store';
import type { QueueWatch } from './queue-watch.ts';
import { type HealingStep, NOTHING } from './step.ts';

/** A block that lasts is told of again after this. */
const TELL_AGAIN_MS = 5 * MINUTE;
/** A job that was put back so often and vanished each time is taken by somebody else. */
const VANISHED = 3;
const FORGET_MS = 30 * SECOND;
/** Runs whose jobs have vanished that are remembered. */
const REMEMBERED = 10_000;

/** Remembers runs whose jobs have vanished from Redis, and so the queues from which somebody else takes jobs. */
export interface VanishedJobs {
  add(runs: readonly { id: string; dispatch: number; queue: string }[]): void;
  /** Forgets all: Redis itself has lost them. */
  clear(): void;
  queues(): string[];
}

export function createVanishedJobs(clock: Clock): VanishedJobs {
  const seen = new Map<string, { queue: string; times: number; atMs: number }>();
  return {
    add(runs) {
      const atMs = clock.monotonicMs();
      // Equivalent mutant (border, > REMEMBERED): this bounds memory: one job of 10,000 is forgotten earlier.
      for (const [job, { atMs: then }] of seen) if (seen.size > REMEMBERED || atMs - then > FORGET_MS) seen.delete(job);
      for (const { id, dispatch, queue } of runs) {
        const job = `${id} ${dispatch}`;
        seen.set(job, { queue, times: (seen.get(job)?.times ?? 0) + 1, atMs });
      }
    },
    clear: () => seen.clear(),
    queues() {
      const nowMs = clock.monotonicMs();
      const taken = [...seen.values()].filter(({ times, atMs }) => times >= VANISHED && nowMs - atMs <= FORGET_MS);
      return [...new Set(taken.map(({ queue }) => queue))];
    },
  };
}

export interface QueueBlocksOptions {
  db: Database;
  contents: Pick<QueueContents, 'lookForBlocks'>;
  clock: Clock;
  emit: Emit;
}

/**
 * Notes what other programs have done to queues so that runs do not start, and tells of it. It heals nothing: whoever has paused a
 * queue wanted something stopped, and may be right. `escapement pools resume` takes it away.
 */
export function queueBlocksStep(
  { db, contents, clock, emit }: QueueBlocksOptions,
  watch: Pick<QueueWatch, 'blocked'>,
  vanished: Pick<VanishedJobs, 'queues'>,
  queues: () => readonly string[],
): HealingStep {
  let toldMs = Number.NEGATIVE_INFINITY;
  let told = '[]';

  function tell(found: readonly QueueBlock[]): void {
    const now = JSON.stringify(found);
    const isOld = clock.monotonicMs() - toldMs < TELL_AGAIN_MS;
    if (now === told && (found.length === 0 || isOld)) return;
    if (found.length === 0) emit({ event: 'queues_open' });
    for (const block of found) emit({ event: 'queue_blocked', ...block });
    toldMs = clock.monotonicMs();
    told = now;
  }

  async function heal() {
    const since = clock.now().toISOString();
    const taken = vanished.queues().map((queue): QueueBlock => ({ queue, kind: 'taken', since }));
    const known = watch.blocked;
    const found = sinceFirstSeen(known, [...(await contents.lookForBlocks(queues())), ...taken]);
    if (JSON.stringify(found) !== JSON.stringify(known)) await noteQueueBlocks(db, found);
    tell(found);
    return NOTHING;
  }

  return { name: 'queue blocks', heal };
}
