import { createClient } from '@escapement/client';
import { DAY, HOUR, systemClock } from '@escapement/core';
import { saveTask } from '@escapement/operations';
import { auditEntries, findRun, listRuns, openDatabase } from '@escapement/store';
import { asUser, by, testDatabase } from '@escapement/testkit';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

const { url } = await testDatabase();
const db = openDatabase({ url, applicationName: 'test' });
const client = createClient({ databaseUrl: asUser(url, 'api'), name: 'shop' });
/** The caller's own connection, in a zone of its own. */
const shop = new pg.Client({ connectionString: asUser(url, 'api') });

beforeAll(async () => {
  await saveTask(
    db,
    {
      name: 'invoice',
      handler: { type: 'shell', command: 'x' },
      key: 'order-{{payload.order}}',
      payload: { order: 0 },
    },
    { source: 'files', by: by('test') },
  );
  await shop.connect();
  await shop.query(`SET timezone = 'Asia/Kolkata'`);
  await db.pool.query('CREATE TABLE orders (id integer); GRANT ALL ON orders TO PUBLIC');
});

beforeEach(async () => {
  await shop.query('BEGIN');
});

afterAll(async () => {
  await client.close();
  await shop.end();
  await db.close();
});

const runs = async () => (await listRuns(db, { taskName: 'invoice', limit: 100 })).map(({ id }) => id);
const orders = async () =>
  (await db.pool.query<{ id: number }>('SELECT id FROM orders ORDER BY id')).rows.map(({ id }) => id);

test('the run is there when the caller commits, with its order', async () => {
  await shop.query('INSERT INTO orders VALUES (1)');
  const run = await client.triggerIn(shop, 'invoice', { order: 1 });
  expect(await runs()).not.toContain(run.id);
  await expect(run.look()).rejects.toMatchObject({ code: 'unknown_run' });
  await shop.query('COMMIT');
  expect(await run.look()).toMatchObject({
    state: 'planned',
    requestedBy: 'shop',
    payload: { order: 1 },
    key: 'order-1',
  });
  expect(await auditEntries(db, { task: 'invoice' })).toContainEqual(expect.objectContaining({ action: 'trigger' }));
  expect(await orders()).toContain(1);
});

test('it is never there when the caller rolls back', async () => {
  await shop.query('INSERT INTO orders VALUES (2)');
  const before = await runs();
  const run = await client.triggerIn(shop, 'invoice', { order: 2 });
  await shop.query('ROLLBACK');
  expect(await runs()).toEqual(before);
  expect(await findRun(db, run.id)).toBeNull();
  expect(await orders()).not.toContain(2);
});

test('a run a year ahead has a week of the ledger', async () => {
  const at = new Date(systemClock.now().getTime() + 360 * DAY);
  const run = await client.triggerIn(shop, 'invoice', { order: 3 }, { at });
  await shop.query('COMMIT');
  expect(await run.look()).toMatchObject({ state: 'planned', scheduledFor: at, dueAt: at });
});

test('what is refused leaves the transaction as it was', async () => {
  await shop.query('INSERT INTO orders VALUES (4)');
  await expect(client.triggerIn(shop, 'invoise')).rejects.toMatchObject({ code: 'unknown_task' });
  await expect(client.triggerIn(shop, 'invoice', {})).rejects.toMatchObject({ code: 'unknown_key_field' });
  const late = new Date(systemClock.now().getTime() - HOUR);
  await expect(client.triggerIn(shop, 'invoice', { order: 4 }, { at: late })).rejects.toMatchObject({
    code: 'bad_due_time',
  });
  await shop.query('SET LOCAL search_path = pg_catalog');
  await expect(client.triggerIn(shop, 'invoice', { order: 4 })).rejects.toMatchObject({ code: 'other_database' });
  await shop.query('SET LOCAL search_path TO DEFAULT');
  await client.triggerIn(shop, 'invoice', { order: 4 });
  await shop.query('COMMIT');
  expect(await orders()).toContain(4);
});

test('a user without the right is told which role to grant, and keeps its transaction', async () => {
  const reader = new pg.Client({ connectionString: asUser(url, 'reader') });
  await reader.connect();
  await reader.query('BEGIN');
  await reader.query('INSERT INTO orders VALUES (5)');
  await expect(client.triggerIn(reader, 'invoice', { order: 5 })).rejects.toMatchObject({
    code: 'database_rights',
    fix: expect.stringContaining('GRANT escapement_api'),
  });
  await reader.query('COMMIT');
  await reader.end();
  expect(await orders()).toContain(5);
});

test('a connection without a transaction is refused', async () => {
  await shop.query('COMMIT');
  await expect(client.triggerIn(shop, 'invoice', { order: 6 })).rejects.toMatchObject({ code: 'no_transaction' });
});
