import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Json, TaskInput } from '@escapement/core';
import { parseEgress } from '@escapement/core/egress';
import { saveTask, triggerTask } from '@escapement/operations';
import { type Database, openDatabase } from '@escapement/store';
import {
  afterFile,
  asUser,
  built,
  by,
  type NodeProcess,
  type SourcePatch,
  spawnNode,
  type TestRedis,
  testDatabase,
  testRedis,
} from '@escapement/testkit';
import { type BY_HANDLER, CODE_DOORS, HTTP_DOORS, SECRET, SHELL_DOORS } from './doors.ts';
import { CUT_BYTES, type Echo, startEcho } from './echo.ts';

const START_MS = 45_000;

export interface Canary {
  db: Database;
  redis: TestRedis;
  env: Record<string, string>;
  echo: Echo;
  processes: readonly NodeProcess[];
  /** The secret of the worker. */
  secret: string;
  /** A word that stands in definitions, where people should not have written it. */
  written: string;
  /** Puts the secret through a door; resolves with the run when it has ended. */
  put(kind: keyof typeof BY_HANDLER, door: string): Promise<Ended>;
}

export interface Ended {
  id: string;
  state: string;
  reason: string | null;
  /** The word that is no secret. */
  open: string;
}

/** A scheduler and a worker as processes, with a secret that came by a file; `patches` change the worker's sources. */
export async function startCanary(patches: readonly SourcePatch[] = []): Promise<Canary> {
  const [{ url }, redis, echo] = await Promise.all([testDatabase(), testRedis(), startEcho()]);
  const db = openDatabase({ url, applicationName: 'test' });
  afterFile(() => db.close());
  const word = () => `canary${randomBytes(12).toString('hex')}`;
  const [secret, written] = [word(), word()];
  const folder = mkdtempSync(join(tmpdir(), 'escapement-canary-'));
  afterFile(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'settings');
  writeFileSync(file, `${SECRET}=${secret}\nESCAPEMENT_NOTIFY_WEBHOOK=${echo.url(`notice-${written}`)}\n`, {
    mode: 0o600,
  });
  const servers = { DATABASE_URL: asUser(url, 'api'), REDIS_URL: redis.url, ESCAPEMENT_EGRESS: 'public,loopback' };
  const env = {
    ...servers,
    ESCAPEMENT_HEALTH_PORT: 'off',
    ESCAPEMENT_ALLOW_SHELL: 'true',
    ESCAPEMENT_LOG_LEVEL: 'debug',
    ESCAPEMENT_SETTINGS_FILE: file,
    ESCAPEMENT_TASKS: built(new URL('./tasks', import.meta.url)),
  };
  const inject = { failpoints: [], patches: [...patches] };
  const processes = [
    spawnNode(new URL('../../apps/scheduler/src/main.ts', import.meta.url), { env }),
    spawnNode(
      new URL('../../apps/worker/src/main.ts', import.meta.url),
      patches.length > 0 ? { env, inject } : { env },
    ),
  ];
  await Promise.all(processes.map((process) => process.waitForLine(/(scheduler|worker) is running/, START_MS)));
  return { db, redis, env: servers, echo, processes, secret, written, put: (...at) => put({ db, echo, folder }, at) };
}

interface Ground {
  db: Database;
  echo: Echo;
  folder: string;
}

async function put({ db, echo, folder }: Ground, [kind, door]: Parameters<Canary['put']>): Promise<Ended> {
  const open = `open-${kind}-${door.replaceAll(' ', '-')}`;
  const written = join(folder, `${kind}-written`);
  const task = taskOf(kind, door, { open, written, echo });
  if (task) await saveTask(db, task, { source: 'test', by: by('test'), egress: parseEgress('public,loopback') });
  const payload: Json = { door, open, written };
  const id = await triggerTask(db, task?.name ?? 'leak', { by: by('test'), ...(task ? {} : { payload }) });
  if (door === 'progress') await progressOf(db, id).finally(() => writeFileSync(written, ''));
  return { id, open, ...(await endOf(db, id)) };
}

/** Waits until a run has said how far it is, or ended. */
async function progressOf(db: Database, id: string): Promise<void> {
  const reported = 'SELECT FROM run WHERE id = $1 AND (progress IS NOT NULL OR finished_at IS NOT NULL)';
  while ((await db.pool.query(reported, [id])).rowCount === 0) await new Promise((resolve) => setTimeout(resolve, 50));
}

interface OpenedFile {
  open: string;
  /** The file that is there when progress is in the ledger. */
  written: string;
  echo: Echo;
}

function taskOf(
  kind: keyof typeof BY_HANDLER,
  door: string,
  { open, written, echo }: OpenedFile,
): TaskInput | undefined {
  const name = `${kind}-${door.replaceAll(' ', '-')}`;
  const others = { name, schedule: { kind: 'manual' }, timeoutMs: 30_000 } as const;
  switch (kind) {
    case 'code':
      return undefined;
    case 'shell': {
      const { command } = SHELL_DOORS[door as keyof typeof SHELL_DOORS];
      const env = { KEY: { secret: SECRET }, OPEN: open, WRITTEN: written };
      return { ...others, handler: { type: 'shell', command, env, messages: true, cwd: '/' }, state: {} };
    }
    case 'http': {
      const headers = { 'X-Canary': { secret: SECRET }, 'X-Open': open };
      const messages = door.endsWith('of an answer');
      return {
        ...others,
        handler: {
          type: 'http',
          url: echo.url(door),
          headers,
          maxResponseBytes: door === 'cut body' ? CUT_BYTES : 65_536,
          ...(messages ? { method: 'POST', output: 'messages' } : {}),
          ...(door === 'answer as output' ? { output: 'body' } : {}),
        },
        ...(messages ? { state: {} } : {}),
      };
    }
  }
}

async function endOf(db: Database, id: string): Promise<{ state: string; reason: string | null }> {
  for (;;) {
    const { rows } = await db.pool.query<{ state: string; reason: string | null }>(
      'SELECT state, reason FROM run WHERE id = $1 AND finished_at IS NOT NULL',
      [id],
    );
    if (rows[0]) return rows[0];
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** All doors, with what becomes of the secret there. */
export const DOORS = [
  ...Object.entries(CODE_DOORS).map(([door, fate]) => ({ kind: 'code' as const, door, fate })),
  ...Object.entries(SHELL_DOORS).map(([door, { fate }]) => ({ kind: 'shell' as const, door, fate })),
  ...Object.entries(HTTP_DOORS).map(([door, fate]) => ({ kind: 'http' as const, door, fate })),
];
