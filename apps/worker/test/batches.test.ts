import { triggerTask } from '@escapement/operations';
import { addToList, openDatabase, workItems } from '@escapement/store';
import { built, by, eventually, type NodeProcess, spawnNode, testDatabase, testRedis } from '@escapement/testkit';
import { afterAll, expect, test } from 'vitest';
import { main, PATIENCE_MS, START_MS } from './fleet.ts';

const { url } = await testDatabase();
const db = openDatabase({ url, applicationName: 'test' });
afterAll(() => db.close());
const env = {
  DATABASE_URL: url,
  REDIS_URL: (await testRedis()).url,
  ESCAPEMENT_HEALTH_PORT: '0',
  ESCAPEMENT_LEASE_MS: '3000',
  ESCAPEMENT_ALLOW_INLINE: 'true',
  ESCAPEMENT_TASKS: built(new URL('./batches', import.meta.url)),
};
const scheduler = spawnNode(main('scheduler'), { env });
const workers = [spawnNode(main('worker'), { env }), spawnNode(main('worker'), { env })];
await scheduler.waitForLine('scheduler is running', START_MS);
for (const worker of workers) await worker.waitForLine('worker is running', START_MS);

async function poll<Value>(look: () => Promise<Value | undefined>): Promise<Value> {
  return await eventually(async () => {
    const value = await look();
    if (value === undefined) throw new Error('it has not come about');
    return value;
  }, PATIENCE_MS);
}

interface Run {
  state: string;
  attempt: number;
  worker: string;
  output: unknown;
}

async function runOf(id: string): Promise<Run> {
  const { rows } = await db.pool.query<Run>('SELECT state, attempt, worker, output FROM run WHERE id = $1', [id]);
  if (!rows[0]) throw new Error(`no run ${id}`);
  return rows[0];
}

const ended = (id: string) =>
  poll(async () => {
    const run = await runOf(id);
    return ['planned', 'queued', 'running', 'retrying'].includes(run.state) ? undefined : run;
  });

/** The process of a worker; its id in the ledger tells its pid. */
function processOf(worker: string): NodeProcess {
  const found = workers.find(({ pid }) => worker.includes(`-${pid}-`));
  if (!found) throw new Error(`no process of ${worker}`);
  return found;
}

test('ten takers take 400 items: each once, no gap, ascending for each taker', { timeout: 120_000 }, async () => {
  const items = Array.from({ length: 400 }, (_, index) => index);
  await addToList(db, 'numbers', items, by('test'));
  const ids = await Promise.all(Array.from({ length: 10 }, () => triggerTask(db, 'take-all', { by: by('test') })));
  const taken = (await Promise.all(ids.map(ended))).map(({ state, output }) => {
    expect(state).toBe('succeeded');
    return output as number[];
  });
  for (const mine of taken) expect(mine).toEqual([...mine].sort((a, b) => a - b));
  expect(taken.flat().sort((a, b) => a - b)).toEqual(items);
  expect((await workItems(db, 'numbers', { limit: 1 })).items).toEqual([]);
});

test('a killed worker costs no item of a batch, and doubles none: also that of the parent', {
  timeout: 120_000,
}, async () => {
  const id = await triggerTask(db, 'double-all', { by: by('test') });
  const count = async (state: string) => {
    const { rows } = await db.pool.query<{ count: number }>(
      'SELECT count(*)::integer FROM run WHERE cause_run_id = $1 AND state = $2',
      [id, state],
    );
    return rows[0]?.count ?? 0;
  };
  await poll(async () => ((await count('succeeded')) >= 50 ? true : undefined));
  const { worker } = await runOf(id);
  await processOf(worker).kill();
  const parent = await ended(id);
  expect(parent.output).toEqual({ attempt: 2, outputs: Array.from({ length: 400 }, (_, n) => 2 * n) });
  expect(await count('succeeded')).toBe(400);
});
