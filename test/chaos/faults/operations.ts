import { setTimeout as delay } from 'node:timers/promises';
import { SECOND } from '@escapement/core';
import pg from 'pg';
import { z } from 'zod';
import { type Fault, type Injury, nowMs, type Scene } from './fault.ts';
import { type Maintenance, startMaintenance } from './maintenance.ts';

/** What the people who look after a Postgres do on an ordinary day. Nobody may notice. */
function operation(name: string, title: string, inject: (scene: Scene) => Promise<Injury>): Fault {
  return { name: `postgres-${name}`, title, inject };
}

const lastsMs = ({ size }: Scene) => (size === 'full' ? 20 * SECOND : 4 * SECOND);

/** A session that has begun a transaction, and what it does in it. */
async function openTransaction(scene: Scene, begin: string, statements: readonly string[]): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: scene.postgres.url, application_name: 'operator' });
  await client.connect();
  await client.query(begin);
  for (const statement of statements) await client.query(statement);
  return client;
}

/** Partitions are made beside it, no week is dropped, and all that is old when it is over. */
async function maintainBeside(scene: Scene, open: () => Promise<pg.Client>): Promise<Injury> {
  const maintenance = await startMaintenance(scene);
  const client = await open();
  const fromMs = nowMs();
  const passes = await passesBeside(scene, maintenance).finally(() => client.end());
  const excusedMs = nowMs();
  const dropped = await maintenance.finish();
  await maintenance.close();
  const detail = `${passes} passes of maintenance, ${dropped.length} partitions dropped afterwards`;
  return { fromMs, excusedMs, healedMs: nowMs(), detail };
}

async function passesBeside(scene: Scene, maintenance: Maintenance): Promise<number> {
  const endMs = nowMs() + lastsMs(scene);
  let passes = 0;
  for (; nowMs() < endMs; passes++) {
    const dropped = (await maintenance.pass()).filter((name) => name.startsWith('run_p'));
    if (dropped.length > 0) throw new Error(`${dropped[0]} was dropped beneath a reader`);
    await delay(200);
  }
  return passes;
}

export const openReader = operation('open-reader', 'ledger kept open by a reader', async (scene) => {
  const counts = ['run', 'attempt', 'task_hour', 'run_log_chunk'].map((table) => `SELECT count(*) FROM ${table}`);
  const injury = await maintainBeside(scene, () => openTransaction(scene, 'BEGIN', counts));
  return { ...injury, excusedMs: injury.fromMs };
});

const DUMPED = `DO $$ DECLARE v record; BEGIN
  FOR v IN SELECT oid::regclass AS name FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace LOOP
    EXECUTE format('LOCK TABLE ONLY %s IN ACCESS SHARE MODE', v.name);
  END LOOP;
  FOR v IN SELECT oid::regclass AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace LOOP
    EXECUTE format('SELECT count(t) FROM %s t', v.name);
  END LOOP; END $$`;

/** As `pg_dump` does: one snapshot, and a lock on each table and each partition, for all of its time. */
export const dumped = operation('dumped', 'dump of Postgres', async (scene) => {
  const injury = await maintainBeside(scene, () =>
    openTransaction(scene, 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', [DUMPED]),
  );
  return { ...injury, excusedMs: injury.fromMs };
});

/** Somebody looked at runs with FOR UPDATE and went for lunch. Those runs wait for him; the others only as long as he stays. */
export const idleTransaction = operation('idle-transaction', 'idle transaction that locks runs', (scene) =>
  maintainBeside(scene, () =>
    openTransaction(scene, 'BEGIN', [
      `SELECT FROM run WHERE state = 'queued' ORDER BY due_at DESC LIMIT 3 FOR UPDATE SKIP LOCKED`,
      `SELECT FROM run WHERE state = 'running' LIMIT 2 FOR UPDATE SKIP LOCKED`,
    ]),
  ),
);

const names = z.array(z.object({ name: z.string() }));

/** Each partition of the ledger that has rows, and the slots. */
const TABLES = `SELECT c.oid::regclass::text AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
  WHERE i.inhparent IN ('run'::regclass, 'attempt'::regclass) AND pg_relation_size(c.oid) > 0 UNION SELECT 'key_slot'`;

function upkeep(name: string, title: string, commands: readonly string[]): Fault {
  return operation(name, title, async (scene) => {
    const tables = names.parse(await scene.ledger.sql(TABLES));
    const client = new pg.Client({ connectionString: scene.postgres.url, application_name: 'operator' });
    await client.connect();
    const fromMs = nowMs();
    let rounds = 0;
    for (; rounds === 0 || nowMs() < fromMs + lastsMs(scene); rounds++)
      for (const table of tables) for (const command of commands) await client.query(`${command} ${table.name}`);
    await client.end();
    const detail = `${rounds} times, ${tables.map((table) => table.name).join(', ')}`;
    return { fromMs, healedMs: nowMs(), excusedMs: fromMs, detail };
  });
}

export const vacuumed = upkeep('vacuumed', 'VACUUM under load', ['VACUUM (ANALYZE)', 'VACUUM (FREEZE)']);
export const reindexed = upkeep('reindexed', 'REINDEX CONCURRENTLY under load', ['REINDEX TABLE CONCURRENTLY']);

const END_MAINTENANCE = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'escapement maintenance'`;
const KILLS = 6;

/** At any point: the next pass ends what it left, and nothing of the ledger is lost. */
export const maintenanceKilled = operation(
  'maintenance-killed',
  'maintenance killed again and again',
  async (scene) => {
    const maintenance = await startMaintenance(scene);
    const fromMs = nowMs();
    let killed = 0;
    for (let rounds = 0; killed < KILLS && rounds < 4 * KILLS; rounds++)
      killed += await killOnePass(scene, maintenance);
    if (killed === 0) throw new Error('no pass could be killed');
    await maintenance.finish();
    await maintenance.close();
    const left = await scene.ledger.sql(
      `SELECT relname FROM pg_class WHERE relname ~ '_p[0-9]{8}$' AND relkind = 'r' AND NOT relispartition`,
    );
    if (left.length > 0) throw new Error(`${left.length} tables were left that are no partitions`);
    return { fromMs, healedMs: nowMs(), excusedMs: fromMs, detail: `${killed} passes` };
  },
);

/** How many were killed: it may be over before. */
async function killOnePass({ ledger, random }: Scene, maintenance: Maintenance): Promise<number> {
  let over = false;
  const passing = maintenance.drop().then(
    () => 0,
    () => 1,
  );
  const ended = passing.finally(() => {
    over = true;
  });
  await delay(random.next() * 200);
  // Until it has a session.
  while (!over && (await ledger.sql(END_MAINTENANCE)).length === 0) await delay(5);
  return await ended;
}

const SPLIT = (table: string, border: string) => `
DO $$ DECLARE v record; BEGIN
  LOCK TABLE ONLY ${table} IN ACCESS EXCLUSIVE MODE;
  SELECT * INTO STRICT v FROM partitions_of('${table}') WHERE from_at <= now() AND to_at > now();
  EXECUTE format('ALTER TABLE ${table} DETACH PARTITION %I', v.name);
  EXECUTE format('ALTER TABLE ${table} ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', v.name, v.from_at, '${border}');
  EXECUTE format('CREATE TABLE %I PARTITION OF ${table} FOR VALUES FROM (%L) TO (%L)', v.name || '_from_' ||
    extract(epoch FROM timestamptz '${border}')::bigint, '${border}', v.to_at);
  PERFORM grant_partition('${table}', v.name || '_from_' || extract(epoch FROM timestamptz '${border}')::bigint);
END $$`;

/** Rows are made so far ahead at most, so that none lies beyond the border yet. */
const BORDER_MS = 15 * SECOND;

/** A week ends and another begins, under load. Nobody may be late or be missed. */
export const weekBorder = operation('week-border', 'border of a partition under load', async (scene) => {
  const border = new Date(nowMs() + BORDER_MS);
  for (const table of ['run', 'attempt']) await scene.ledger.sql(SPLIT(table, border.toISOString()));
  const fromMs = nowMs();
  await delay(border.getTime() + lastsMs(scene) - nowMs());
  const rows = await scene.ledger.sql('SELECT FROM run WHERE scheduled_for >= $1', [border.toISOString()]);
  if (rows.length === 0) throw new Error('no run lies beyond the border');
  return { fromMs, healedMs: nowMs(), excusedMs: fromMs, detail: `${rows.length} runs beyond it` };
});
