import { z } from 'zod';
import { parseQueue } from './queue-name.ts';

/**
 * What somebody else can do to a queue in Redis so that its runs do not start. Escapement itself does none of it: a pause of its own is
 * a row in Postgres.
 */
export const QUEUE_BLOCKS = {
  paused: 'was paused in Redis, by bull-board or another program that uses BullMQ: none of its runs starts',
  concurrency: 'has a limit of jobs at once in Redis, set by another program that uses BullMQ',
  rate: 'has a rate limit in Redis, set by another program that uses BullMQ',
  taken: 'loses jobs: they vanish again after they were put back, as when a worker of another program takes them',
} as const;

export type QueueBlockKind = keyof typeof QUEUE_BLOCKS;

export const queueBlock = z.object({
  queue: z.string(),
  kind: z.enum(Object.keys(QUEUE_BLOCKS) as [QueueBlockKind, ...QueueBlockKind[]]),
  /** Since when, as far as it is known; ISO 8601. */
  since: z.string(),
});

export type QueueBlock = z.output<typeof queueBlock>;

/** A block in a sentence. */
export function queueBlockWords({ queue, kind, since }: QueueBlock): string {
  return `the queue "${queue}" ${QUEUE_BLOCKS[kind]} (since ${since})`;
}

/** What somebody can do about it. */
export function queueBlockFix({ queue, kind }: Pick<QueueBlock, 'queue' | 'kind'>): string {
  const { pool } = parseQueue(queue);
  return kind === 'taken'
    ? 'stop the other program, or give it a Redis or namespace of its own; Escapement has its queues for itself'
    : `\`escapement pools resume ${pool}\` takes it away; to pause a pool, use \`escapement pools pause ${pool}\``;
}

/** Those that are there now, each since it was first seen. */
export function sinceFirstSeen(known: readonly QueueBlock[], seen: readonly QueueBlock[]): QueueBlock[] {
  return seen.map((each) => known.find(({ queue, kind }) => queue === each.queue && kind === each.kind) ?? each);
}
