import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Exposure, Json } from '@escapement/core';
import { saveTask, triggerTask } from '@escapement/operations';
import { type Database, openDatabase, ROLE_PREFIX } from '@escapement/store';
import {
  afterFile,
  built,
  by,
  type NodeProcess,
  type SpawnOptions,
  spawnNode,
  testDatabase,
  testRedis,
} from '@escapement/testkit';
import { foundInOctal, SHELL_ATTACKS } from './shell.ts';

const START_MS = 45_000;

/** Root with the capabilities that docker-compose.yml leaves it. */
const AS_IN_COMPOSE = `#!/bin/sh
exec setpriv --bounding-set=-all,+setuid,+setgid,+kill --inh-caps=-all --no-new-privs '${process.execPath}' "$@"
`;
const NOBODY = { uid: 65_534, gid: 65_534 };

/** How a fleet is started, see docs/how-to/run-a-fleet.md. */
export type Mode = 'separated' | 'same user' | 'same user, unreadable node' | 'root';

/** Whether tests of other users make sense here: root starts them, and another user can read the build. */
export function canBeNobody(): boolean {
  if (process.getuid?.() !== 0) return false;
  try {
    const file = built(new URL('./tasks/attack.ts', import.meta.url));
    execFileSync(process.execPath, ['-e', "require('node:fs').accessSync(process.argv[1])", file], NOBODY);
    return true;
  } catch {
    return false;
  }
}

/** Words that stand in credentials and nowhere else: a password of Postgres, one of Redis, a secret of another task. */
interface Canaries {
  postgres: string;
  redis: string;
  secret: string;
}

export interface Stage {
  worker: NodeProcess;
  /** What the worker says of itself. */
  exposes(): Promise<Exposure[]>;
  /** Which canaries a shell task finds by this attack. */
  byShell(attack: keyof typeof SHELL_ATTACKS): Promise<string[]>;
  /** Which canaries a task in code finds, and as whom it ran. */
  byCode(attack: string): Promise<{ uid: number; leaked: string[] }>;
}

/** A fleet of real processes from the build, whose credentials have canaries in them. */
export async function setStage(mode: Mode): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'escapement-attacks-'));
  chmodSync(folder, 0o755);
  afterFile(() => rmSync(folder, { recursive: true, force: true }));
  const word = () => `canary${randomBytes(8).toString('hex')}`;
  const canaries: Canaries = { postgres: word(), redis: word(), secret: word() };
  const { db, databaseUrl, redisUrl } = await servers(canaries);
  const settings = `REDIS_URL=${redisUrl}\nESCAPEMENT_SECRET_OTHER=${canaries.secret}\n`;
  const file = join(folder, 'settings');
  writeFileSync(file, settings, { mode: 0o600 });
  const start = startOptions(mode, folder, { databaseUrl, settings, file });
  const scheduler = spawnNode(new URL('../../apps/scheduler/src/main.ts', import.meta.url), start());
  const worker = spawnNode(new URL('../../apps/worker/src/main.ts', import.meta.url), start());
  await scheduler.waitForLine('scheduler is running', START_MS);
  await worker.waitForLine('worker is running', START_MS);
  return {
    worker,
    async exposes() {
      const { rows } = await db.pool.query<{ exposes: Exposure[] }>(
        "SELECT exposes FROM process WHERE role = 'worker'",
      );
      return rows[0]?.exposes ?? [];
    },
    async byShell(attack) {
      const name = `shell-${attack.replaceAll(' ', '-')}`;
      const env = { SETTINGS_PATH: file };
      const handler = { type: 'shell', command: SHELL_ATTACKS[attack], env, cwd: '/' } as const;
      await saveTask(
        db,
        { name, handler, schedule: { kind: 'manual' }, timeoutMs: 30_000 },
        { by: by('test'), source: 'cli' },
      );
      const found = foundInOctal(await logOf(db, await runOnce(db, name)));
      return Object.values(canaries).filter((canary) => found.includes(canary));
    },
    async byCode(attack) {
      const values = Object.values(canaries);
      const payload = { attack, canaries: values.map((canary) => Buffer.from(canary).toString('base64')) };
      const { uid, leaked } = await outputOf(db, await runOnce(db, 'attack', payload));
      return { uid, leaked: leaked.map((at) => values[at] ?? '') };
    },
  };
}

async function servers(canaries: Canaries) {
  const [{ url }, redis] = await Promise.all([testDatabase(), testRedis()]);
  const db = openDatabase({ url, applicationName: 'test' });
  const role = `attacked_${randomBytes(6).toString('hex')}`;
  await db.pool.query(
    `CREATE ROLE ${role} LOGIN PASSWORD '${canaries.postgres}' IN ROLE ${ROLE_PREFIX}scheduler, ${ROLE_PREFIX}worker`,
  );
  await redis.send('ACL', 'SETUSER', role, 'on', `>${canaries.redis}`, '~*', '&*', '+@all');
  afterFile(async () => {
    await redis.send('ACL', 'DELUSER', role);
    await db.pool.query(`DROP ROLE ${role}`);
    await db.close();
  });
  return { db, databaseUrl: as(role, canaries.postgres, url), redisUrl: as(role, canaries.redis, redis.url) };
}

function as(user: string, password: string, server: string): string {
  const url = new URL(server);
  url.username = user;
  url.password = password;
  return url.href;
}

/** Postgres by the environment; Redis and a secret by a file of root, or by a descriptor. */
function startOptions(mode: Mode, folder: string, { databaseUrl, settings, file }: Record<string, string>) {
  const env = {
    DATABASE_URL: databaseUrl,
    ESCAPEMENT_HEALTH_PORT: 'off',
    ESCAPEMENT_ALLOW_SHELL: 'true',
    ESCAPEMENT_TASKS: built(new URL('./tasks', import.meta.url)),
    ESCAPEMENT_RUN_AS: undefined,
  };
  if (mode === 'root')
    return (): SpawnOptions => ({ env: { ...env, ESCAPEMENT_SETTINGS_FILE: file, ESCAPEMENT_RUN_AS: 'root' } });
  const node = mode === 'same user' ? process.execPath : join(folder, 'node');
  if (mode === 'separated') {
    writeFileSync(node, AS_IN_COMPOSE, { mode: 0o755 });
    return (): SpawnOptions => ({ env: { ...env, ESCAPEMENT_SETTINGS_FILE: file }, node });
  }
  if (mode !== 'same user') {
    copyFileSync(process.execPath, node);
    chmodSync(node, 0o711);
  }
  return (): SpawnOptions => ({
    env: { ...env, HOME: '/', ESCAPEMENT_SETTINGS_FILE: '/dev/fd/3' },
    ...(settings === undefined ? {} : { given: settings }),
    ids: NOBODY,
    cwd: '/',
    node,
  });
}

async function runOnce(db: Database, task: string, payload?: Json): Promise<string> {
  const asked = payload === undefined ? { by: by('test') } : { by: by('test'), payload };
  return await triggerTask(db, task, asked);
}

interface Ended {
  state: string;
  reason: string | null;
  output: { uid: number; leaked: number[] };
}

async function endOf(db: Database, id: string): Promise<Ended> {
  for (;;) {
    const { rows } = await db.pool.query<Ended>(
      'SELECT state, reason, output FROM run WHERE id = $1 AND finished_at IS NOT NULL',
      [id],
    );
    if (rows[0]) return rows[0];
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function outputOf(db: Database, id: string): Promise<Ended['output']> {
  const { state, reason, output } = await endOf(db, id);
  if (state !== 'succeeded') throw new Error(`the attack ${state}: ${reason}`);
  return output;
}

async function logOf(db: Database, id: string): Promise<string> {
  const { state, reason } = await endOf(db, id);
  if (state !== 'succeeded') throw new Error(`the attack ${state}: ${reason}`);
  const { rows } = await db.pool.query<{ text: string }>(
    'SELECT text FROM run_log_chunk WHERE run_id = $1 ORDER BY seq',
    [id],
  );
  return rows.map(({ text }) => text).join('');
}
