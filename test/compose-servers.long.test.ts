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

const psql = (url: string, args: string[], env: Record<string, string | undefined>) =>
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

const PASSWORDS = {
  POSTGRES_OWNER_PASSWORD: PASSWORD,
  POSTGRES_SCHEDULER_PASSWORD: `scheduler ${PASSWORD}`,
  POSTGRES_WORKER_PASSWORD: `worker ${PASSWORD}`,
  POSTGRES_API_PASSWORD: `api ${PASSWORD}`,
};

const postgres = await ownPostgres();

/** The users that docker-compose.yml gives to its services. */
function signIn(server: string, user: string, password: string): string {
  const url = new URL(server);
  url.username = user;
  url.password = encodeURIComponent(password);
  return url.href;
}

test.each(Object.keys(PASSWORDS))('a database is not set up without %s', async (missing) => {
  const env = { POSTGRES_OWNER: 'x', ...PASSWORDS, [missing]: undefined };
  // In one transaction: what was made before the missing password is not in the way of the next test.
  await expect(psql(postgres.url, ['-1', '-f', deployed('postgres.sql')], env)).rejects.toThrow(/syntax error/);
});

test('a fleet runs on the Redis of compose, and on its Postgres, each program as a user with the rights of its role', async () => {
  const owner = 'owner_of_compose';
  await psql(postgres.url, ['-f', deployed('postgres.sql')], { POSTGRES_OWNER: owner, ...PASSWORDS });
  const urls = {
    owner: signIn(postgres.url, owner, PASSWORDS.POSTGRES_OWNER_PASSWORD),
    scheduler: signIn(postgres.url, 'scheduler', PASSWORDS.POSTGRES_SCHEDULER_PASSWORD),
    worker: signIn(postgres.url, 'worker', PASSWORDS.POSTGRES_WORKER_PASSWORD),
    api: signIn(postgres.url, 'api', PASSWORDS.POSTGRES_API_PASSWORD),
  };
  const port = await startRedis();
  const env = (user: keyof typeof urls) => ({
    DATABASE_URL: urls[user],
    REDIS_URL: `redis://escapement:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/0`,
    ESCAPEMENT_HEALTH_PORT: 'off',
    ESCAPEMENT_ALLOW_SHELL: 'true',
  });
  const cli = async (user: keyof typeof urls, ...args: string[]) => {
    const child = spawnNode(new URL('../apps/cli/src/main.ts', import.meta.url), { args, env: env(user) });
    return { ...(await child.exited), said: child.lines.join('\n') };
  };
  // The service `migrate`, which may run any number of times.
  for (let times = 0; times < 2; times++)
    expect(await cli('owner', 'migrate', '--roles')).toMatchObject({
      code: 0,
      said: expect.stringContaining('escapement_'),
    });
  const scheduler = spawnNode(new URL('../apps/scheduler/src/main.ts', import.meta.url), { env: env('scheduler') });
  await scheduler.waitForLine('scheduler is running', 45_000);
  const worker = spawnNode(new URL('../apps/worker/src/main.ts', import.meta.url), { env: env('worker') });
  await worker.waitForLine('worker is running', 45_000);
  const db = openDatabase({ url: urls.api, applicationName: 'test' });
  afterFile(() => db.close());
  const handler = { type: 'shell', command: 'true' } as const;
  const action = { by: by('test'), source: 'test' };
  await saveTask(db, { name: 'once', schedule: { kind: 'manual' }, handler }, action);
  await saveTask(db, { name: 'often', schedule: { kind: 'every', everyMs: 5000 }, handler }, action);
  await triggerTask(db, 'once', { by: by('test') });
  const succeeded = async () => {
    const { rows } = await db.pool.query(
      "SELECT DISTINCT t.name FROM run r JOIN task t ON t.id = r.task_id WHERE r.state = 'succeeded' ORDER BY 1",
    );
    return rows.map(({ name }) => name);
  };
  await expect.poll(succeeded).toEqual(['often', 'once']);
  const { rows } = await db.pool.query(
    "SELECT rolname FROM pg_roles WHERE (rolsuper OR rolcreaterole OR rolcreatedb) AND rolname !~ '^pg_'",
  );
  expect(rows).toEqual([{ rolname: new URL(postgres.url).username }]);
  expect(
    (await db.pool.query("SELECT relowner::regrole::text AS owner FROM pg_class WHERE relname = 'run'")).rows,
  ).toEqual([{ owner: 'escapement_owner' }]);
  expect((await cli('api', 'doctor')).said).toMatch(/^ok +Roles +each program has the rights of its role/m);
  expect((await cli('worker', 'migrate')).said).toContain('permission denied');
  const lines = [...scheduler.lines, ...worker.lines].join('\n');
  expect(lines).not.toMatch(/NOPERM|permission denied/);
});

test('passwords are written once, for their owner alone, and never through a link', async () => {
  const file = join(folder, '.env');
  expect(await writeComposeEnv(file)).toBe(true);
  const written = readFileSync(file, 'utf8');
  expect(written).toMatch(
    /^(POSTGRES(_OWNER|_SCHEDULER|_WORKER|_API)?_PASSWORD=[0-9a-f]{48}\n){5}REDIS_PASSWORD=[0-9a-f]{48}\n$/,
  );
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(await writeComposeEnv(file)).toBe(false);
  expect(readFileSync(file, 'utf8')).toBe(written);
  symlinkSync(join(folder, 'elsewhere'), join(folder, 'link'));
  expect(await writeComposeEnv(join(folder, 'link'))).toBe(false);
});
