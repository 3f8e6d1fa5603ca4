import { type QueueBlock, queueBlock } from '@escapement/core';
import { type Database, query } from '../postgres/database.ts';

/** What keeps queues from being worked off in Redis, as a scheduler found it last. */
export async function readQueueBlocks(db: Database): Promise<QueueBlock[]> {
  const [row] = await query<{ blocked: unknown }>(
    db.pool,
    'read_queue_blocks',
    'SELECT blocked FROM queue_watch WHERE namespace = $1',
    [db.namespace],
  );
  return toQueueBlocks(row?.blocked ?? []);
}

/** The column as it is read. */
export function toQueueBlocks(blocked: unknown): QueueBlock[] {
  return queueBlock.array().parse(blocked);
}

/** Notes what keeps queues from being worked off now. */
export async function noteQueueBlocks(db: Database, found: readonly QueueBlock[]): Promise<void> {
  await query(db.hot, 'note_queue_blocks', 'UPDATE queue_watch SET blocked = $2::jsonb WHERE namespace = $1', [
    db.namespace,
    JSON.stringify(found),
  ]);
}
