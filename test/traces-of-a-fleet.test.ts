import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient } from '@escapement/client';
import type { TaskInput } from '@escapement/core';
import { parseEgress } from '@escapement/core/egress';
import { handlerSpanId, parseTraceparent, runSpanId } from '@escapement/core/traces';
import { saveTask } from '@escapement/operations';
import { findRun, listRuns, openDatabase } from '@escapement/store';
import {
  afterFile,
  built,
  by,
  type CollectedSpan,
  eventually,
  spawnNode,
  startCollector,
  testDatabase,
  testRedis,
} from '@escapement/testkit';
import { context, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { StackContextManager } from '@opentelemetry/sdk-trace';
import { expect, it } from 'vitest';
import { runBin } from '../apps/cli/test/cli.ts';

const START_MS = 45_000;
/** Whoever triggers, in a program that has a trace of its own. */
const CALLER = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7', traceFlags: 1 };
const PRODUCER = 4;
const CONSUMER = 5;
const TOKEN = 'token-of-the-collector';

const [collector, target, { url }, redis] = await Promise.all([
  startCollector(),
  startTarget(),
  testDatabase(),
  testRedis(),
]);
const db = openDatabase({ url, applicationName: 'test' });
const client = createClient({ databaseUrl: url });
afterFile(() => Promise.all([db.close(), client.close()]));
const env = { DATABASE_URL: url, REDIS_URL: redis.url };
const lines = await startFleet();

/** Keeps the headers that requests bring. */
async function startTarget() {
  const headers: Record<string, string | string[] | undefined>[] = [];
  const server = createServer((request, response) => {
    headers.push(request.headers);
    response.end('ok');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterFile(async () => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, headers };
}

/** Resolves with what waits for a line of the worker's log. */
async function startFleet() {
  const tasks: TaskInput[] = [
    { name: 'call', schedule: { kind: 'manual' }, handler: { type: 'http', url: target.url } },
    {
      name: 'begin',
      schedule: { kind: 'manual' },
      handler: { type: 'shell', command: 'echo "$TRACEPARENT"' },
      then: [{ task: 'split' }],
    },
    {
      name: 'twice',
      schedule: { kind: 'manual' },
      handler: { type: 'shell', command: 'exit 3' },
      retry: { maxAttempts: 2, backoff: { kind: 'fixed', delayMs: 100 } },
    },
  ];
  const settings = {
    ...env,
    ESCAPEMENT_HEALTH_PORT: 'off',
    ESCAPEMENT_ALLOW_SHELL: 'true',
    ESCAPEMENT_EGRESS: 'public,loopback',
    ESCAPEMENT_TASKS: built(new URL('./traces/tasks', import.meta.url)),
    ESCAPEMENT_OTEL: 'otlp',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: `authorization=${TOKEN}`,
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    OTEL_BSP_SCHEDULE_DELAY: '200',
  };
  const start = (app: string) => spawnNode(new URL(`../apps/${app}/src/main.ts`, import.meta.url), { env: settings });
  const [scheduler, worker] = [start('scheduler'), start('worker')];
  await Promise.all([
    scheduler.waitForLine('scheduler is running', START_MS),
    worker.waitForLine('worker is running', START_MS),
  ]);
  await eventually(async () => expect(await findTaskNames(), worker.lines.join('\n')).toContain('split'));
  const egress = parseEgress('public,loopback');
  for (const task of tasks) await saveTask(db, task, { by: by('test'), source: 'api', egress });
  return (text: string | RegExp) => worker.waitForLine(text, START_MS);
}

async function findTaskNames(): Promise<string[]> {
  const { rows } = await db.pool.query<{ name: string }>('SELECT name FROM task');
  return rows.map(({ name }) => name);
}

/** The run of a task, when it has ended. */
async function ended(task: string) {
  return await eventually(async () => {
    const [run] = await listRuns(db, { taskName: task, states: ['succeeded', 'failed'], limit: 1 });
    if (!run?.finishedAt) throw new Error(`${task} has not ended`);
    return run;
  });
}

/** The names of a span, then of those below it. */
type Tree = [name: string, ...below: Tree[]];

function treeOf(spans: readonly CollectedSpan[], above: string): Tree[] {
  return onceEnqueued(spans.filter(({ parentSpanId }) => parentSpanId === above))
    .map(({ name, spanId }): Tree => [name, ...treeOf(spans, spanId)])
    .toSorted(([one], [other]) => one.localeCompare(other));
}

/** Where a machine is busy a scheduler may add a job that a worker is just adding: it is one job all the same. */
function onceEnqueued(siblings: readonly CollectedSpan[]): CollectedSpan[] {
  return siblings.filter(
    ({ name }, index) => !name.startsWith('enqueue ') || siblings.findIndex((each) => each.name === name) === index,
  );
}

it('a chain with a fan-out is one trace, from the span of who triggered it to each handler', async () => {
  context.setGlobalContextManager(new StackContextManager());
  const active = trace.setSpanContext(ROOT_CONTEXT, CALLER);
  const { id } = await context.with(active, () => client.trigger('begin'));
  const [first, split, call] = [await ended('begin'), await ended('split'), await ended('call')];

  const attempt = (task: string): Tree => [`attempt ${task}`, [`handler ${task}`]];
  const run = (task: string, queue: string, ...below: Tree[]): Tree => [
    `run ${task}`,
    attempt(task),
    [`enqueue ${queue}`],
    ...below,
  ];
  const spans = await eventually(async () => {
    const found = collector.spans.filter(({ traceId }) => traceId === CALLER.traceId);
    const code = found.find(({ name }) => name === 'attempt split')?.attributes['messaging.destination.name'];
    const items = run('item', String(code));
    expect(treeOf(found, CALLER.spanId)).toEqual([
      run('begin', 'default+shell', run('split', String(code), run('call', 'default'), items, items)),
    ]);
    return found;
  });

  // What each handler was told is the span of its own call.
  expect(await logOf(id)).toContain(`00-${CALLER.traceId}-${handlerSpanId(first.id, 1)}-01`);
  expect(split.output).toBe(`00-${CALLER.traceId}-${handlerSpanId(split.id, 1)}-01`);
  expect(target.headers.at(-1)?.traceparent).toBe(`00-${CALLER.traceId}-${handlerSpanId(call.id, 1)}-01`);
  const kinds = new Map(spans.map(({ name, kind }) => [name.split(' ')[0], kind]));
  expect(kinds.get('enqueue')).toBe(PRODUCER);
  expect(kinds.get('attempt')).toBe(CONSUMER);
  for (const { startMs, endMs } of spans) expect(endMs).toBeGreaterThanOrEqual(startMs);
});

it('both programs say who they are, and sign in as the variables of OpenTelemetry say', async () => {
  const services = new Set(collector.spans.map(({ resource }) => resource['service.name']));
  expect(services).toEqual(new Set(['escapement-scheduler', 'escapement-worker']));
  for (const { resource } of collector.spans)
    expect(resource).toMatchObject({ 'deployment.environment.name': 'test', 'escapement.namespace': 'default' });
  for (const headers of collector.headers) expect(headers.authorization).toBe(TOKEN);
});

it('an occurrence begins a trace that has its own id, and shows when it was planned', async () => {
  const task: TaskInput = {
    name: 'each-second',
    schedule: { kind: 'cron', expression: '* * * * * *', timeZone: 'UTC' },
    handler: { type: 'shell', command: 'true' },
  };
  await saveTask(db, task, { by: by('test'), source: 'api' });
  const { id, traceparent } = await ended('each-second');
  expect(traceparent).toBeNull();
  const spans = await eventually(async () => {
    const found = collector.spans.filter(({ traceId }) => traceId === id.replaceAll('-', ''));
    expect(treeOf(found, '')).toEqual([
      ['run each-second', ['attempt each-second', ['handler each-second']], ['enqueue default+shell'], ['plan']],
    ]);
    return found;
  });
  expect(spans.find(({ name }) => name.startsWith('run'))?.spanId).toBe(runSpanId(id));
});

it('each attempt has its span, and says how it failed', async () => {
  const { id } = await client.trigger('twice');
  const { reason } = await ended('twice');
  const traceId = id.replaceAll('-', '');
  const spans = await eventually(async () => {
    const found = collector.spans.filter((span) => span.traceId === traceId && !span.name.startsWith('enqueue'));
    if (found.length < 5) throw new Error(`${found.length} spans`);
    return found;
  });
  expect(treeOf(spans, '')).toEqual([
    ['run twice', ['attempt twice', ['handler twice']], ['attempt twice', ['handler twice']]],
  ]);
  const run = spans.find(({ name }) => name.startsWith('run'));
  expect(run).toMatchObject({ error: reason, attributes: { 'escapement.run.attempts': 2, 'error.type': 'failed' } });
});

it('lines of the log carry the id of the trace; `runs show` links to it', async () => {
  const { id } = await client.trigger('call', undefined, {
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00',
  });
  const line = JSON.parse(await lines(`"run":"${id}"`));
  expect(line).toMatchObject({ run: id, trace_id: '0af7651916cd43dd8448eb211c80319c' });
  const show = { ...env, ESCAPEMENT_TRACE_URL: 'https://traces.example.com/t/{trace_id}' };
  const { stdout } = await runBin(['runs', 'show', id], { env: show });
  expect(stdout).toContain('trace:         https://traces.example.com/t/0af7651916cd43dd8448eb211c80319c');
  const { stdout: json } = await runBin(['runs', 'show', id, '-o', 'json'], { env: show });
  expect(JSON.parse(json)).toMatchObject({ traceUrl: 'https://traces.example.com/t/0af7651916cd43dd8448eb211c80319c' });
  // Whoever began the trace records nothing of it.
  const run = await findRun(db, id);
  expect(parseTraceparent(run?.traceparent ?? '')?.sampled).toBe(false);
  expect(target.headers.at(-1)?.traceparent).toMatch(/^00-0af7651916cd43dd8448eb211c80319c-.*-00$/);
  expect(collector.spans.filter(({ traceId }) => traceId === '0af7651916cd43dd8448eb211c80319c')).toEqual([]);
});

async function logOf(id: string): Promise<string> {
  return (await runBin(['runs', 'logs', id], { env })).stdout;
}
