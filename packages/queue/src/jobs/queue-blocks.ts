import { type QueueBlock, type QueueBlockKind, systemClock } from '@escapement/core';
import { answered, openOf, type RedisConnection } from '../redis/connection.ts';
import { queueBase } from '../redis/keys.ts';
import { createQueues } from './queues.ts';

/** What other programs have done to queues in Redis so that runs do not start. */
export interface QueueBlocks {
  lookForBlocks(queues: readonly string[]): Promise<QueueBlock[]>;
  /** Takes it away from these queues. */
  liftBlocks(queues: readonly string[]): Promise<void>;
}

/** The fields of BullMQ's hash of a queue. */
const FIELDS = ['paused', 'concurrency', 'max'] as const;
const KINDS: Readonly<Record<(typeof FIELDS)[number], QueueBlockKind>> = {
  paused: 'paused',
  concurrency: 'concurrency',
  max: 'rate',
};

export function createQueueBlocks(connection: RedisConnection): QueueBlocks {
  const { client } = openOf(connection);
  const queueOf = createQueues(connection);
  const keyOf = (queue: string, name: string) => `${queueBase(connection.namespace, queue)}:${name}`;

  async function blocksOf(queue: string): Promise<QueueBlock[]> {
    const values = await client.hmget(keyOf(queue, 'meta'), ...FIELDS);
    const set = FIELDS.filter((_, index) => values[index] !== null && values[index] !== undefined);
    if (set.length === 0) return [];
    const pausedAt = set.includes('paused') ? await pausedAtOf(queue) : undefined;
    const now = systemClock.now();
    return set.map((field) => {
      const since = (field === 'paused' && pausedAt) || now;
      return { queue, kind: KINDS[field], since: since.toISOString() };
    });
  }

  /** BullMQ notes a pause in its stream of events, which keeps the last ones only. */
  async function pausedAtOf(queue: string): Promise<Date | undefined> {
    const events = await client.xrevrange(keyOf(queue, 'events'), '+', '-');
    const [id] = events.find(([, fields]) => fields[1] === 'paused') ?? [];
    return id === undefined ? undefined : new Date(Number.parseInt(id, 10));
  }

  return {
    lookForBlocks: (queues) =>
      answered(
        connection,
        Promise.all(queues.map(blocksOf)).then((found) => found.flat()),
      ),
    async liftBlocks(queues) {
      for (const queue of queues) {
        await answered(connection, client.hdel(keyOf(queue, 'meta'), 'concurrency', 'max', 'duration'));
        await answered(connection, queueOf(queue).resume());
      }
    },
  };
}
