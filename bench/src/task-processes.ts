import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { HandlerSpec, RunInfo } from '@escapement/core';
import { parseEgress } from '@escapement/core/egress';
import { accountsOf, createHandlers, type Handlers } from '@escapement/handlers';
import { type BenchServers, startServers } from './servers.ts';
import { figure, median, quantile, tableOf } from './table.ts';
import type { Figures } from './targets.ts';

const RUNS = 300;
const STARTS = 7;
const CODE = { type: 'code', name: 'empty' } as const;
const SHELL = { type: 'shell', command: 'true', cwd: '/' } as const;
/** As many as a worker may open for its tasks. */
const SECRETS = Array.from({ length: 20 }, (_, index) => createHash('sha256').update(String(index)).digest('base64'));
const TASK = fileURLToPath(new URL('./empty-task.js', import.meta.url));
const WORKER = fileURLToPath(new URL('../../apps/worker/dist/main.js', import.meta.url));

/**
 * `task-processes [RUNS]`: what a worker's start takes until it is running, with one task in code; what its processes add
 * to a run: the load of a module in a new process, a run in code in a warm one, a shell line, a request to this machine, without
 * secrets and with 20 to be masked. As the own user, and as
 * nobody where this is root.
 */
export async function run([runs = String(RUNS)]: readonly string[]): Promise<Figures> {
  const rows = [['ms', 'median', 'p90', 'least']];
  const users = process.getuid?.() === 0 ? ['0', 'nobody'] : [String(process.getuid?.())];
  const servers = await startServers();
  try {
    for (const user of users) rows.push(...(await rowsOf(user, Number(runs), servers)));
  } finally {
    await servers.stop();
  }
  process.stdout.write(tableOf(rows));
  return {};
}

async function rowsOf(user: string, runs: number, servers: BenchServers): Promise<string[][]> {
  const who = `tasks as ${user}`;
  const starts = await repeat(STARTS, () => startWorker(user, servers));
  const loads = await repeat(STARTS, () => withHandlers(user, async (handlers) => void (await handlers.load(TASK))));
  return [
    row(`start of a worker, ${who}`, starts),
    row(`a process and a module in it, ${who}`, loads),
    ...(await runRows(user, runs, [])),
    ...(await runRows(user, runs, SECRETS)),
  ];
}

async function runRows(user: string, runs: number, secrets: readonly string[]): Promise<string[][]> {
  const who = `tasks as ${user}, ${secrets.length} secrets masked`;
  return await withTarget(async (http) =>
    withHandlers(
      user,
      async (handlers) => {
        await handlers.load(TASK);
        const took = async (spec: HandlerSpec) => {
          await runOnce(handlers, spec);
          return await repeat(runs, () => runOnce(handlers, spec));
        };
        return [
          row(`run in code, warm, ${who}`, await took(CODE)),
          row(`run of a shell line, ${who}`, await took(SHELL)),
          row(`run of a request, ${who}`, await took(http)),
        ];
      },
      secrets,
    ),
  );
}

/** Something to ask on this machine. */
async function withTarget<Result>(use: (spec: HandlerSpec) => Promise<Result>): Promise<Result> {
  const server = createServer((_, response) => response.end('done'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await use({ type: 'http', url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const row = (name: string, ms: readonly number[]) => [
  name,
  ...[median(ms), quantile(ms, 0.9), Math.min(...ms)].map((value) => figure(value, 2)),
];

async function repeat(count: number, work: () => Promise<void>): Promise<number[]> {
  const took: number[] = [];
  for (let index = 0; index < count; index++) {
    const startedMs = performance.now();
    await work();
    took.push(performance.now() - startedMs);
  }
  return took;
}

async function withHandlers<Result>(
  user: string,
  use: (handlers: Handlers) => Promise<Result>,
  secretValues: readonly string[] = [],
): Promise<Result> {
  const env = { PATH: process.env.PATH };
  const accounts = await accountsOf({ runAs: user, allowRoot: false, env });
  const egress = parseEgress('loopback');
  const shell = { allow: true };
  const handlers = createHandlers({
    ...{ env, accounts, shell, egress, secretValues },
    secrets: () => undefined,
    execArgv: [],
  });
  try {
    return await use(handlers);
  } finally {
    await handlers.stop();
  }
}

async function runOnce(handlers: Handlers, spec: HandlerSpec): Promise<void> {
  const outcome = await handlers.lookup(spec)?.({
    spec,
    run: RUN,
    payload: undefined,
    signal: new AbortController().signal,
    log: { write: () => undefined },
    heartbeat: () => undefined,
    progress: () => undefined,
    preparing: (ready) => ready,
    ask: async () => null,
  });
  if (outcome?.status !== 'succeeded') throw new Error(`the run did not succeed: ${JSON.stringify(outcome)}`);
}

const RUN: RunInfo = {
  id: '01941f29-7c00-7000-8000-000000000001',
  namespace: 'default',
  taskName: 'empty',
  pool: 'default',
  origin: 'schedule',
  requestedBy: null,
  causeRunId: null,
  traceparent: null,
  scheduledFor: new Date(0),
  startedAt: new Date(0),
  latenessMs: 0,
  nextAt: null,
  timeoutMs: 3_600_000,
  attempt: 1,
  key: 'empty',
  fence: 1n,
};

/** From its start until it says that it is running. */
async function startWorker(user: string, { databaseUrl, redisUrl }: BenchServers): Promise<void> {
  const env = {
    PATH: process.env.PATH,
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    ESCAPEMENT_HEALTH_PORT: 'off',
    ESCAPEMENT_TASKS: TASK,
    ESCAPEMENT_RUN_AS: user,
  };
  const worker = spawn(process.execPath, [WORKER], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    await lineOf(worker, 'worker is running');
  } finally {
    worker.kill('SIGKILL');
  }
}

async function lineOf(child: ChildProcess, what: string): Promise<void> {
  if (!child.stdout) throw new Error('its output is not read');
  for await (const line of createInterface({ input: child.stdout })) if (line.includes(what)) return;
  const [code] = child.exitCode === null ? await once(child, 'exit') : [child.exitCode];
  throw new Error(`the worker ended with ${code}`);
}
