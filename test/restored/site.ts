import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TaskInput } from '@escapement/core';
import { SECOND } from '@escapement/core';
import { saveTask } from '@escapement/operations';
import { openDatabase } from '@escapement/store';
import { afterFile, by, type NodeProcess, spawnNode, testRedis } from '@escapement/testkit';
import { type Ran, runCli } from '../../apps/cli/test/cli.ts';

const MAIN = { scheduler: '../../apps/scheduler/src/main.ts', worker: '../../apps/worker/src/main.ts' };
const LEASE_MS = 2000;
const START_MS = 45 * SECOND;

type Role = keyof typeof MAIN;

/** A start of a run, as a system outside of the fleet has seen it. */
export interface Start {
  task: string;
  runId: string;
  scheduledFor: Date;
  fence: bigint;
}

/** What every start of every fleet writes into, beside all databases. */
export interface Witness {
  starts(): Start[];
  /** A command that writes its start into it, and then does `then`. */
  command(task: string, then?: string): string;
}

export function witness(): Witness {
  const folder = mkdtempSync(join(tmpdir(), 'escapement-restored-'));
  afterFile(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'starts');
  writeFileSync(file, '');
  return {
    starts: () => readFileSync(file, 'utf8').split('\n').filter(Boolean).map(toStart),
    command: (task, then = 'true') =>
      `echo "${task} $ESCAPEMENT_RUN_ID $ESCAPEMENT_SCHEDULED_FOR $ESCAPEMENT_FENCE" >> ${file}; ${then}`,
  };
}

function toStart(line: string): Start {
  const [task = '', runId = '', scheduledFor = '', fence = '0'] = line.split(' ');
  return { task, runId, scheduledFor: new Date(scheduledFor), fence: BigInt(fence) };
}

/** A database and a Redis of their own, with programs on them. */
export interface Site {
  save(tasks: readonly TaskInput[]): Promise<void>;
  cli(...args: string[]): Promise<Ran>;
  sql<Row>(text: string): Promise<Row[]>;
  /** All that its programs have said. */
  lines(): string[];
  /** Starts a scheduler and a worker. */
  start(): Promise<void>;
  /** Starts one that is to end by itself. */
  refused(role: Role, otherRedisUrl?: string): Promise<NodeProcess>;
  /** Those that `start` has started: scheduler and worker. */
  programs(): readonly NodeProcess[];
  kill(): Promise<void>;
  /** They end as they are told to. */
  stop(): Promise<void>;
}

/** Default: a Redis of its own, and the namespace of all who name none. */
export interface SiteOptions {
  redisUrl?: string;
  namespace?: string;
}

export async function site(databaseUrl: string, options: SiteOptions = {}): Promise<Site> {
  const { redisUrl = (await testRedis()).url, namespace = 'default' } = options;
  const db = openDatabase({ url: databaseUrl, namespace, applicationName: 'test' });
  afterFile(() => db.close());
  const env = {
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    ESCAPEMENT_NAMESPACE: namespace,
    ESCAPEMENT_HEALTH_PORT: 'off',
    ESCAPEMENT_LEASE_MS: String(LEASE_MS),
    ESCAPEMENT_GRACE_MS: '1000',
    // What is planned ahead is in the copy.
    ESCAPEMENT_HORIZON_MS: '1000',
    ESCAPEMENT_ALLOW_SHELL: 'true',
  };
  const spawn = (role: Role, others = {}) =>
    spawnNode(fileURLToPath(new URL(MAIN[role], import.meta.url)), { env: { ...env, ...others } });
  let programs: NodeProcess[] = [];
  return {
    async save(tasks) {
      for (const task of tasks) await saveTask(db, task, { source: 'test', by: by('test') });
    },
    cli: (...args) => runCli(args, { env }),
    sql: async (text) => (await db.pool.query(text)).rows,
    lines: () => programs.flatMap(({ lines }) => lines),
    async start() {
      programs = [spawn('scheduler'), spawn('worker')];
      await Promise.all(programs.map((program) => program.waitForLine('is running', START_MS)));
    },
    refused: async (role, otherRedisUrl = redisUrl) => spawn(role, { REDIS_URL: otherRedisUrl }),
    programs: () => programs,
    async kill() {
      await Promise.all(programs.map((program) => program.kill()));
      await db.close();
    },
    async stop() {
      await Promise.all(programs.map((program) => program.terminate()));
    },
  };
}
