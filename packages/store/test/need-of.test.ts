import { randomUUID } from 'node:crypto';
import { codeNeed, type HandlerKind, type HandlerOf, handlerFacts } from '@escapement/core';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { type Database, registerDeployment, WORKER_GONE_MS } from '../src/index.ts';
import { twoProcesses } from './ledger.ts';

const processes = await twoProcesses();
const { one: db } = processes;
const other: Database = { ...db, namespace: 'other' };
afterAll(() => processes.close());

const CODE = { type: 'code', name: 'report' };
const [SHOP, BILLING] = [codeNeed('shop'), codeNeed('billing')];

let shop = '';
let billing = '';

const deployed = (app: string, tasks: readonly string[], at = db, fingerprint = app) =>
  registerDeployment(at, {
    ...{ app, release: null, fingerprint, whole: true },
    tasks: Object.fromEntries(tasks.map((name) => [name, 'print'])),
  });

/** Two applications have the code; that of the second is the latest. */
beforeEach(async () => {
  for (const table of ['process', 'deployment']) await db.pool.query(`TRUNCATE ${table}`);
  shop = await deployed('shop', ['report']);
  billing = await deployed('billing', ['report']);
});

interface Worker {
  namespace?: string;
  role?: string;
  deployment?: string;
  heardMs?: number;
  stopped?: boolean;
}

/** A worker that lives and has the code of the first; with what is another of it. */
async function worker({ namespace = db.namespace, role = 'worker', deployment = shop, ...rest }: Worker = {}) {
  const { heardMs = 0, stopped = false } = rest;
  await db.pool.query(
    `INSERT INTO process (id, namespace, role, host, pid, app_version, deployment_id, heartbeat_at, stopped_at)
     VALUES ($1, $2, $3, 'h', 1, '0', $4, now() - $5 * interval '1 ms', CASE WHEN $6 THEN now() END)`,
    [randomUUID(), namespace, role, deployment, heardMs, stopped],
  );
}

async function need(handler: object = CODE, deployment: string | null = null): Promise<string | null> {
  const { rows } = await db.pool.query('SELECT need_of($1, $2, $3::bigint) AS need', [
    ...[db.namespace, JSON.stringify(handler), deployment],
  ]);
  return rows[0].need;
}

const OF_EACH_KIND: { readonly [Kind in HandlerKind]: HandlerOf<Kind> } = {
  shell: { type: 'shell', command: 'true' },
  http: { type: 'http', url: 'http://localhost' },
  code: { type: 'code', name: 'nobody-has-it' },
};

it.each(Object.values(OF_EACH_KIND))('%o needs the same in SQL as in HANDLER_KINDS', async (handler) => {
  expect(await need(handler)).toBe(handlerFacts(handler).need);
});

it('code is that of the latest deployment that has it, in its namespace', async () => {
  expect(await need()).toBe(BILLING);
  await deployed('later', ['another']);
  await deployed('abroad', ['report'], other);
  expect(await need()).toBe(BILLING);
  await deployed('latest', ['report']);
  expect(await need()).toBe(codeNeed('latest'));
});

it('before that, code is that of the application whose task it is', async () => {
  expect(await need(CODE, shop)).toBe(SHOP);
  const earlier = await deployed('shop', [], db, 'without it');
  expect(await need(CODE, earlier)).toBe(SHOP);
  expect(await need(CODE, billing)).toBe(BILLING);
});

it('before both, code is that which a living worker has', async () => {
  await worker({ heardMs: WORKER_GONE_MS / 2 });
  expect(await need()).toBe(SHOP);
  expect(await need(CODE, billing)).toBe(SHOP);
});

it.each<[string, () => Worker]>([
  ['of another namespace', () => ({ namespace: 'other' })],
  ['that is a scheduler', () => ({ role: 'scheduler' })],
  ['with the code of nobody', () => ({ deployment: '0' })],
  ['that shut down', () => ({ stopped: true })],
  // The column rounds to milliseconds.
  ['that was not heard for longer than WORKER_GONE_MS', () => ({ heardMs: WORKER_GONE_MS + 1 })],
])('a process %s has no say', async (_, row) => {
  await worker(row());
  expect(await need()).toBe(BILLING);
});

it('where workers have both, the order is as without workers', async () => {
  await worker();
  await worker({ deployment: billing });
  expect(await need()).toBe(BILLING);
  expect(await need(CODE, shop)).toBe(SHOP);
});
