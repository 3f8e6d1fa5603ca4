import { RedisConnection as BullConnection, Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { openOf, type RedisConnection } from '../redis/connection.ts';
import { queuePrefix } from '../redis/keys.ts';

/** Nobody reads BullMQ's event streams here; keep them short. */
const MAX_EVENTS = 100;

const withScripts = new WeakSet<Redis>();

/**
 * Has BullMQ define its scripts before the connection is used, not when its first queue is made: commands that are being gathered then
 * (`enableAutoPipelining`) do not know them. ioredis would reject the script, and after that throw for each answer that fits none.
 */
function defineScripts(client: Redis): void {
  if (withScripts.has(client)) return;
  withScripts.add(client);
  const options = { shared: true, blocking: false, skipVersionCheck: true, skipWaitingForReady: true };
  // It passes on the client's errors, which `connectRedis` reports.
  new BullConnection(client, options).on('error', () => undefined);
}

/** BullMQ's queues by name, all on the one connection. */
export function createQueues<Data>(connection: RedisConnection): (name: string) => Queue<Data> {
  const { client, report } = openOf(connection);
  defineScripts(client);
  const queues = new Map<string, Queue<Data>>();
  return (name) => {
    const known = queues.get(name);
    if (known) return known;
    const queue = new Queue<Data>(name, {
      connection: client,
      prefix: queuePrefix(connection.namespace, name),
      // Else a link that breaks during the check leaves the queue broken for ever.
      skipVersionCheck: true,
      skipWaitingForReady: true,
      streams: { events: { maxLen: MAX_EVENTS } },
    });
    queue.on('error', report);
    queues.set(name, queue);
    return queue;
  };
}
