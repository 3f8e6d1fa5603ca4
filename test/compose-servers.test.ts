import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { saveTask, triggerTask } from '@escapement/operations';
import { freePort, writeComposeEnv } from '@escapement/servers';
import { openDatabase } from '@escapement/store';
import { afterFile, by, ownPostgres, spawnNode } from '@escapement/testkit';
import { Redis } from 'ioredis';
import { expect, test } from 'vitest';

// What docker-compose.yml gives to its containers, on real servers without Docker: its Redis and its Postgres carry a fleet, and
// refuse the rest.

const deployed = (file: string) => fileURLToPath(new URL(`../deploy/compose/${file}`, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'escapement-compose-'));
afterFile(() => rmSync(folder, { recursive: true, force: true }));

const PASSWORD = 'p4ss"word$(x)';

async function startRedis(): Promise<number> {
  const port = await freePort();
  const acl = join(folder, 'users.acl');
  const server = spawn('sh', [deployed('redis.sh'), '--port', String(port), '--dir', folder, '--bind', '127.0.0.1'], {
    env: { PATH: process.env.PATH, REDIS_PASSWORD: PASSWORD, REDIS_ACL_FILE: acl },
  });
  afterFile(async () => {
    server.kill();
    await once(server, 'close');
  });
  for await (const piece of server.stdout) if (String(piece).includes('Ready to accept')) break;
  server.stdout.resume();
  expect(statSync(acl).mode & 0o777).toBe(0o600);
  expect(readFileSync(acl, 'utf8')).not.toContain(PASSWORD);
  return port;
}

const psql = (url: string, args: string[], env: Record<string, string>) =>
  promisify(execFile)('psql', ['--no-psqlrc', url, ...args], { env: { PATH: process.env.PATH, ...env } });

test('the Redis of compose refuses strangers, other namespaces and the commands of administrators', async () => {
  const port = await startRedis();
  const stranger = new Redis({ port, lazyConnect: true, retryStrategy: () => null });
  stranger.on('error', () => undefined);
  await expect(stranger.ping()).rejects.toThrow('NOAUTH');
  stranger.disconnect();
  const redis = new Redis({ port, username: 'escapement', password: PASSWORD, retryStrategy: () => null });
  afterFile(async () => redis.disconnect());
  expect(await redis.set('esc:{default:pool}:pool:1', 'x')).toBe('OK');
  expect(await redis.set('esc:{default}:marker', 'x')).toBe('OK');
  for (const key of ['esc:{other:pool}:pool:1', 'esc:{default2}:marker', 'esc:{defaul*}:marker', 'a'])
    await expect(redis.get(key)).rejects.toThrow('NOPERM');
  for (const [command, ...args] of [
    ['FLUSHALL'],
    ['FLUSHDB'],
    ['KEYS', '*'],
    ['CONFIG', 'SET', 'dir', '/tmp'],
    ['ACL', 'SETUSER', 'me', 'on'],
    ['REPLICAOF', 'NO', 'ONE'],
    ['SHUTDOWN'],
    ['MODULE', 'LIST'],
    ['MONITOR'],
    ['PUBLISH', 'esc:{default}:x', 'x'],
  ] as const)
    await expect(redis.call(command, ...args)).rejects.toThrow('NOPERM');
});

test('a fleet runs on the Redis of compose, and on a database whose owner is no superuser', async () => {
  const postgres = await ownPostgres();
  await psql(postgres.url, ['-f', deployed('postgres.sql')], {
    POSTGRES_OWNER: 'escapement_owner',
    POSTGRES_OWNER_PASSWORD: PASSWORD,
  });
  const url = new URL(postgres.url);
  url.username = 'escapement_owner';
  url.password = encodeURIComponent(PASSWORD);
  const port = await startRedis();
  const env = {
    DATABASE_URL: url.href,
    REDIS_URL: `redis://escapement:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/0`,
    ESCAPEMENT_MIGRATE: 'true',
    ESCAPEMENT_HEALTH_PORT: 'off',
    ESCAPEMENT_ALLOW_SHELL: 'true',
  };
  const scheduler = spawnNode(new URL('../apps/scheduler/src/main.ts', import.meta.url), { env });
  await scheduler.waitForLine('scheduler is running', 45_000);
  const worker = spawnNode(new URL('../apps/worker/src/main.ts', import.meta.url), { env });
  await worker.waitForLine('worker is running', 45_000);
  const db = openDatabase({ url: url.href, applicationName: 'test' });
  afterFile(() => db.close());
  const handler = { type: 'shell', command: 'true' } as const;
  const act = { by: by('test'), source: 'test' };
  await saveTask(db, { name: 'once', schedule: { kind: 'manual' }, handler }, act);
  await saveTask(db, { name: 'often', schedule: { kind: 'every', everyMs: 5000 }, handler }, act);
  await triggerTask(db, 'once', { by: by('test') });
  const succeeded = async () => {
    const { rows } = await db.pool.query(
      "SELECT DISTINCT t.name FROM run r JOIN task t ON t.id = r.task_id WHERE r.state = 'succeeded' ORDER BY 1",
    );
    return rows.map(({ name }) => name);
  };
  await expect.poll(succeeded).toEqual(['often', 'once']);
  const { rows } = await db.pool.query('SELECT rolsuper, rolcreaterole FROM pg_roles WHERE rolname = current_user');
  expect(rows).toEqual([{ rolsuper: false, rolcreaterole: false }]);
  const lines = [...scheduler.lines, ...worker.lines].join('\n');
  expect(lines).not.toMatch(/NOPERM|permission denied/);
});

test('a database without a password for its owner is not set up', async () => {
  const postgres = await ownPostgres();
  await expect(psql(postgres.url, ['-f', deployed('postgres.sql')], { POSTGRES_OWNER: 'x' })).rejects.toThrow();
});

test('passwords are written once, for their owner alone, and never through a link', async () => {
  const file = join(folder, '.env');
  expect(await writeComposeEnv(file)).toBe(true);
  const written = readFileSync(file, 'utf8');
  expect(written).toMatch(
    /^POSTGRES_PASSWORD=[0-9a-f]{48}\nPOSTGRES_OWNER_PASSWORD=[0-9a-f]{48}\nREDIS_PASSWORD=[0-9a-f]{48}\n$/,
  );
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(await writeComposeEnv(file)).toBe(false);
  expect(readFileSync(file, 'utf8')).toBe(written);
  symlinkSync(join(folder, 'elsewhere'), join(folder, 'link'));
  expect(await writeComposeEnv(join(folder, 'link'))).toBe(false);
});
