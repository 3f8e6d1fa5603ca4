import { readdirSync, readFileSync } from 'node:fs';
import type { Database } from '@escapement/store';
import type { TestRedis } from '@escapement/testkit';

/** The texts in which a word may have got somewhere. */
export function formsOfWord(word: string): string[] {
  const inner = Buffer.from(`app:${word}`).toString('base64').slice(6, -4);
  return [
    word,
    Buffer.from(word).toString('hex'),
    Buffer.from(word).toString('base64').slice(0, -4),
    inner,
    word.slice(0, 14),
    word.slice(-14),
  ];
}

/** Every row of every table as text, by table. */
export async function ledgerText(db: Database): Promise<Map<string, string>> {
  const { rows } = await db.pool.query<{ name: string }>(
    `SELECT c.oid::regclass::text AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND n.nspname NOT IN ('pg_catalog', 'information_schema')`,
  );
  const found = new Map<string, string>();
  for (const { name } of rows) {
    const { rows: all } = await db.pool.query<{ text: string }>(`SELECT t::text AS text FROM ${name} t`);
    found.set(name, all.map(({ text }) => text).join('\n'));
  }
  return found;
}

const READ: Record<string, (key: string) => [string, ...(string | number)[]]> = {
  string: (key) => ['GET', key],
  hash: (key) => ['HGETALL', key],
  list: (key) => ['LRANGE', key, 0, -1],
  set: (key) => ['SMEMBERS', key],
  zset: (key) => ['ZRANGE', key, 0, -1],
  stream: (key) => ['XRANGE', key, '-', '+'],
};

/** Every key and its value. */
export async function redisText(redis: TestRedis): Promise<string> {
  const keys = (await redis.send('KEYS', '*')) as string[];
  const values = await Promise.all(
    keys.map(async (key) => {
      const type = String(await redis.send('TYPE', key));
      // It may have gone meanwhile.
      return type === 'none' ? null : await redis.send(...(READ[type] ?? unknownType(type))(key));
    }),
  );
  return JSON.stringify([keys, values]);
}

function unknownType(type: string): never {
  throw new Error(`keys of Redis of type ${type} are not read`);
}

/** Arguments, or environments, of all processes. */
export function processText(what: 'cmdline' | 'environ'): string {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map((pid) => readOrNothing(`/proc/${pid}/${what}`)).join('\n');
}

function readOrNothing(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}
