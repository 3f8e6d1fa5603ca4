import { answered, openOf, type RedisConnection } from './connection.ts';
import { markerKey } from './keys.ts';

/** The marker that a reconciler has left last; null: there is none, as in a Redis that is empty. Rejects with `redis_unreachable`. */
export async function readMarker(connection: RedisConnection): Promise<string | null> {
  return await answered(connection, openOf(connection).client.get(markerKey(connection.namespace)));
}
