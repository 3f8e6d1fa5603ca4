import type { RedisConnection } from '../redis/connection.ts';
import { createQueues } from './queues.ts';

/** Takes these queues out of Redis with all that is in them. */
export async function removeQueues(connection: RedisConnection, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  const queues = createQueues(connection);
  for (const name of names) await queues(name).obliterate({ force: true });
}
