import { Queue } from 'bullmq';
import { openOf, type RedisConnection } from './connection.ts';
import { poolPrefix } from './keys.ts';

/** Nobody reads BullMQ's event streams here; keep them short. */
const MAX_EVENTS = 100;

/** A BullMQ queue a pool, all on the one connection. */
export function createQueues<Data>(connection: RedisConnection): (pool: string) => Queue<Data> {
  const { client, report } = openOf(connection);
  const queues = new Map<string, Queue<Data>>();
  return (pool) => {
    const known = queues.get(pool);
    if (known) return known;
    const queue = new Queue<Data>(pool, {
      connection: client,
      prefix: poolPrefix(connection.namespace, pool),
      // Else a link that breaks during the check leaves the queue broken for ever.
      skipVersionCheck: true,
      skipWaitingForReady: true,
      streams: { events: { maxLen: MAX_EVENTS } },
    });
    queue.on('error', report);
    queues.set(pool, queue);
    return queue;
  };
}
