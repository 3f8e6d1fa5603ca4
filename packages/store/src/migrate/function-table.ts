import type { ClientBase, Pool } from 'pg';

/** Stands for the hash of a function that was dropped. */
export const DROPPED = 'dropped';

/** Which texts of which functions were ever applied; of a name the last row is the one in force. */
export async function createFunctionTable(client: ClientBase): Promise<void> {
  await client.query(`
    CREATE TABLE IF NOT EXISTS "_sql_functions" (
      "id"         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      "name"       text NOT NULL,
      "hash"       text NOT NULL,
      "applied_at" timestamptz NOT NULL DEFAULT now()
    )`);
}

/** Every hash that was applied, by name, in order. Empty when the table does not exist. */
export async function readApplied(client: ClientBase | Pool): Promise<Map<string, string[]>> {
  const { rows: tables } = await client.query<{ found: boolean }>(
    `SELECT to_regclass('"_sql_functions"') IS NOT NULL AS found`,
  );
  const applied = new Map<string, string[]>();
  if (!tables[0]?.found) return applied;
  const { rows } = await client.query<{ name: string; hash: string }>(
    'SELECT name, hash FROM "_sql_functions" ORDER BY id',
  );
  for (const { name, hash } of rows) applied.set(name, [...(applied.get(name) ?? []), hash]);
  return applied;
}

export async function insertFunction(client: ClientBase, name: string, hash: string): Promise<void> {
  await client.query('INSERT INTO "_sql_functions" (name, hash) VALUES ($1, $2)', [name, hash]);
}
