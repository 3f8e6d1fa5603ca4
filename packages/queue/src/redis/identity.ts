import { answered, openOf, type RedisConnection } from './connection.ts';
import { identityKey } from './keys.ts';

/** By what the ledger of the namespace knows this Redis; null: it has nothing, as one that is new or was flushed. Rejects with `redis_unreachable`. */
export async function readIdentity(connection: RedisConnection): Promise<string | null> {
  return await answered(connection, openOf(connection).client.get(identityKey(connection.namespace)));
}

/** Leaves that there, unless there is something; resolves with what is there then. */
export async function leaveIdentity(connection: RedisConnection, id: string): Promise<string> {
  const { client } = openOf(connection);
  await answered(connection, client.set(identityKey(connection.namespace), id, 'NX'));
  return (await readIdentity(connection)) ?? id;
}
