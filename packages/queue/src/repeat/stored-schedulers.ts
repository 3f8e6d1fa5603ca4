import type { RedisConnection } from '../redis/connection.ts';
import { answered, openOf } from '../redis/connection.ts';

/** A queue of BullMQ, whoever it belongs to. */
export interface ForeignQueue {
  /** What all keys of BullMQ there begin with; `bull` unless somebody chose another. */
  prefix: string;
  queue: string;
}

/** A job scheduler, or an old repeatable job, as it stands in Redis. */
export interface StoredScheduler {
  /** The member of the sorted set `repeat`. */
  id: string;
  /** The hash of that id; null: there is none. */
  fields: Record<string, string> | null;
  /** Of the job that waits for the next time, where there is one. */
  job: { data?: string | undefined; opts?: string | undefined };
}

/**
 * Reads the job schedulers of a queue, and changes nothing. Null: there is no such queue. Rejects with `redis_unreachable`. Without
 * BullMQ: it writes into a queue as soon as it opens it.
 */
export async function readStoredSchedulers(
  connection: RedisConnection,
  { prefix, queue }: ForeignQueue,
): Promise<StoredScheduler[] | null> {
  const { client } = openOf(connection);
  const base = `${prefix}:${queue}`;
  const repeat = `${base}:repeat`;
  const ids = await answered(connection, client.zrange(repeat, '0', '-1'));
  if (ids.length === 0 && (await answered(connection, client.exists(`${base}:meta`, `${base}:id`))) === 0) return null;
  const stored: StoredScheduler[] = [];
  for (const id of ids) {
    const score = await answered(connection, client.zscore(repeat, id));
    const fields = await answered(connection, client.hgetall(`${repeat}:${id}`));
    const [data, opts] = await answered(connection, client.hmget(`${repeat}:${id}:${score}`, 'data', 'opts'));
    stored.push({
      id,
      fields: Object.keys(fields).length > 0 ? fields : null,
      job: { data: data ?? undefined, opts: opts ?? undefined },
    });
  }
  return stored;
}
