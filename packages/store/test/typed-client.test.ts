import { by, finishedRun, testDatabase } from '@escapement/testkit';
import { PrismaPg } from '@prisma/adapter-pg';
import { Pool } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase } from '../src/index.ts';
import { Prisma, PrismaClient } from './generated/client.ts';

// schema.prisma is what others give Prisma's client, to read the ledger with types. None of our programs does.

const { url } = await testDatabase();
const db = openDatabase({ url, namespace: 'default', applicationName: 'test' });
const pool = new Pool({ connectionString: url });
const client = new PrismaClient({ adapter: new PrismaPg(pool, { disposeExternalPool: false }) });
let runId: string;

beforeAll(async () => {
  runId = await finishedRun(db, 'orders');
});

afterAll(async () => {
  await client.$disconnect();
  await pool.end();
  await db.close();
});

test('a run is read with its task, as the ledger has it', async () => {
  const run = await client.run.findFirst({ where: { id: runId } });
  expect(run).toMatchObject({ namespace: 'default', state: 'failed', attempt: 1, finishedAt: expect.any(Date) });
  const task = await client.task.findFirst({ where: { name: 'orders' }, include: { versions: true } });
  expect(task).toMatchObject({ id: run?.taskId, versions: [{ version: 1, createdBy: by('test').principal.name }] });
  expect(await client.failure.findMany()).toMatchObject([{ runId, fingerprint: null }]);
});

test('every table can be read', async () => {
  const models = Object.values(Prisma.ModelName);
  expect(models.length).toBeGreaterThan(50);
  for (const model of models) expect([model, await rowsOf(model)]).toEqual([model, expect.any(Array)]);
});

/** Of any model: `client.taskVersion.findMany(...)`. */
async function rowsOf(model: string): Promise<unknown> {
  const name = model.slice(0, 1).toLowerCase() + model.slice(1);
  const reader: unknown = Reflect.get(client, name);
  if (typeof reader !== 'object' || reader === null) throw new Error(`there is no ${name}`);
  const findMany: unknown = Reflect.get(reader, 'findMany');
  if (typeof findMany !== 'function') throw new Error(`${name} cannot be read`);
  return await findMany({ take: 1 });
}
