import { DAY, MINUTE, SECOND, systemClock } from '@escapement/core';
import { cancelRun } from '@escapement/operations';
import { ensurePartitions } from '@escapement/store';
import { by, eventually, lockRows, skewedClock, startProxy } from '@escapement/testkit';
import { Queue } from 'bullmq';
import { expect, it } from 'vitest';
import { alertStage, shell } from './alerts/stage.ts';

// Conditions of the fleet, its pools and its servers that come true on real processes, beside those of alerts-of-a-fleet.long.test.ts.

const stage = await alertStage();
const { db, url, redis, rules, save, trigger, receives, notified, start, cli } = stage;
const LEASE_MS = 4 * SECOND;
const HORIZON_MS = 3 * SECOND;
const lease = { ESCAPEMENT_LEASE_MS: String(LEASE_MS) };
/** Of the scheduler; undefined where it cannot be set. */
const clock = skewedClock();
const servers = { postgres: await startProxy(url), redis: await startProxy(redis.url) };
/** What is counted in a scheduler's memory is looked at so often. */
const SLOWLY_MS = 2.5 * SECOND;

await save(
  { name: 'steady', ...shell('true'), schedule: { kind: 'every', everyMs: 2 * SECOND } },
  { name: 'of-nobody', ...shell('true'), pool: 'nobody' },
);
await Promise.all([
  start('scheduler', {
    ...lease,
    ...clock?.env,
    ESCAPEMENT_HORIZON_MS: String(HORIZON_MS),
    DATABASE_URL: servers.postgres.url,
    REDIS_URL: servers.redis.url,
  }),
  start('worker', lease),
]);

/** What another program does to a queue. */
async function asAnother(action: (queue: Queue) => Promise<unknown>): Promise<void> {
  const { hostname, port, pathname } = new URL(redis.url);
  const connection = { host: hostname, port: Number(port), db: Number(pathname.slice(1) || '0') };
  const queue = new Queue('nobody+shell', { prefix: 'esc:{default:nobody+shell}', connection });
  await action(queue);
  await queue.close();
}

async function queued(): Promise<string> {
  const id = await trigger('of-nobody');
  await eventually(async () => {
    const { rows } = await db.pool.query('SELECT state FROM run WHERE id = $1', [id]);
    expect(rows).toEqual([{ state: 'queued' }]);
  });
  return id;
}

it('a server is away: Redis, and Postgres once it is back', async () => {
  await rules([
    { name: 'redis', when: { kind: 'redis-away' } },
    { name: 'watched', when: { kind: 'not-watched', overMs: 30 * SECOND } },
  ]);
  servers.redis.reset();
  await receives('redis', 'firing', 2 * SECOND);
  servers.redis.pass();
  await receives('redis', 'resolved', 5 * SECOND);
  servers.postgres.reset();
  // As if that were 35 s ago: what Postgres itself keeps of it.
  await db.pool.query(`UPDATE alert_watch SET looked_at = looked_at - interval '35 s'`);
  servers.postgres.pass();
  // All loops wait for up to 5 s between two tries; that somebody looks is noted every 10 s.
  await receives('watched', 'firing', 15 * SECOND);
  await receives('watched', 'resolved', 10 * SECOND);
});

it('a task is not planned', async () => {
  await rules([{ name: 'lag', when: { kind: 'planner-lag', overMs: 2 * SECOND } }]);
  const locked = await lockRows(
    url,
    `SELECT FROM task_plan WHERE task_id = (SELECT id FROM task WHERE name = 'steady') FOR UPDATE`,
  );
  await receives('lag', 'firing', HORIZON_MS + 2 * SECOND);
  await locked.release();
  await receives('lag', 'resolved', 10 * SECOND);
});

it('workers are missing, and one has vanished', async () => {
  await rules([
    { name: 'missing', when: { kind: 'workers-missing' } },
    { name: 'lost', when: { kind: 'worker-lost' } },
  ]);
  expect(await cli(['pools', 'set', 'default', '--expected-workers', '2'])).toMatchObject({ code: 0 });
  await receives('missing', 'firing');
  const second = await start('worker', lease);
  await receives('missing', 'resolved', 2 * SECOND);
  await second.kill();
  await receives('lost', 'firing', LEASE_MS + SLOWLY_MS);
  // As if ten minutes had passed.
  await db.pool.query(`UPDATE process SET heartbeat_at = heartbeat_at - interval '10 min' WHERE pid = $1`, [
    second.pid,
  ]);
  await receives('lost', 'resolved', SLOWLY_MS);
});

it('runs are overdue; another program takes their jobs, and stops their queue', async () => {
  await rules([
    { name: 'overdue', when: { kind: 'overdue', overMs: 2 * SECOND } },
    { name: 'drift', when: { kind: 'drift', kinds: ['missing_job'] } },
  ]);
  const id = await queued();
  await receives('overdue', 'firing', 3 * SECOND);
  await asAnother((queue) => queue.obliterate({ force: true }));
  await receives('drift', 'firing', 10 * SECOND);
  // As if ten minutes had passed since it was found last.
  await eventually(async () => {
    await db.pool.query(`UPDATE drift SET found_at = least(found_at, now() - interval '10 min')`);
    expect(notified('drift', 'resolved')).toHaveLength(1);
  }, 20 * SECOND);
  await rules([
    { name: 'overdue', when: { kind: 'overdue', overMs: 2 * SECOND } },
    { name: 'blocked', when: { kind: 'queue-blocked' } },
  ]);
  await asAnother((queue) => queue.pause());
  await receives('blocked', 'firing', 10 * SECOND);
  await asAnother((queue) => queue.resume());
  await receives('blocked', 'resolved', 10 * SECOND);
  await cancelRun(db, id, by('test'));
  await receives('overdue', 'resolved');
});

it.skipIf(!clock)('the clock of the only scheduler is off: it plans nothing', async () => {
  await rules([
    { name: 'clock', when: { kind: 'clock-off', overMs: 1 * SECOND } },
    { name: 'silent', when: { kind: 'planner-silent', overMs: 3 * SECOND } },
  ]);
  clock?.set(5 * SECOND);
  await receives('clock', 'firing', SLOWLY_MS + 4 * SECOND);
  await receives('silent', 'firing', 3 * SECOND);
  clock?.set(0);
  await receives('clock', 'resolved', SLOWLY_MS + 4 * SECOND);
  await receives('silent', 'resolved', SLOWLY_MS + 4 * SECOND);
});

it('the database grows, and its next partition is missing; a token is about to end', async () => {
  const { rows: sizes } = await db.pool.query<{ bytes: number }>(
    'SELECT pg_database_size(current_database())::float8 AS bytes',
  );
  await rules([
    { name: 'size', when: { kind: 'database-size', overBytes: (sizes[0]?.bytes ?? 0) + 20_000_000 } },
    { name: 'partition', when: { kind: 'partition-missing' } },
    { name: 'token', when: { kind: 'token-expires', withinMs: 2 * DAY } },
  ]);
  await db.pool.query('CREATE TABLE ballast AS SELECT md5(n::text) FROM generate_series(1, 500000) n');
  const { rows } = await db.pool.query(`SELECT name FROM partitions_of('run_log_chunk') WHERE to_at > now()`);
  for (const { name } of rows) await db.pool.query(`DROP TABLE ${name}`);
  expect(await cli(['tokens', 'create', 'deploy', '--role', 'viewer', '--expires', '1d'])).toMatchObject({ code: 0 });
  await receives('token', 'firing', SLOWLY_MS);
  await receives('partition', 'firing', MINUTE + SLOWLY_MS);
  await receives('size', 'firing', 12 * SECOND + SLOWLY_MS);
  await db.pool.query('DROP TABLE ballast');
  await ensurePartitions(db, systemClock.now(), 14);
  const tokens = await db.pool.query<{ id: string }>(`SELECT id FROM access_token WHERE name = 'deploy'`);
  expect(await cli(['tokens', 'revoke', tokens.rows[0]?.id ?? ''])).toMatchObject({ code: 0 });
  await receives('token', 'resolved', SLOWLY_MS);
  await receives('partition', 'resolved', SLOWLY_MS);
  await receives('size', 'resolved', 12 * SECOND + SLOWLY_MS);
});

it('an occurrence is gone from the ledger', async () => {
  await rules([{ name: 'gap', when: { kind: 'ledger-gap' } }]);
  const { rows } = await db.pool.query<{ columns: string }>(
    `SELECT string_agg(quote_ident(attname), ', ') AS columns FROM pg_attribute
     WHERE attrelid = 'run'::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''`,
  );
  const columns = rows[0]?.columns ?? '';
  await db.pool.query(
    `CREATE TABLE taken AS SELECT ${columns} FROM run WHERE scheduled_for < now() - interval '20 s' AND origin = 'schedule'
       AND state = 'succeeded' ORDER BY scheduled_for DESC LIMIT 1;
     DELETE FROM run r USING taken t WHERE r.id = t.id AND r.scheduled_for = t.scheduled_for`,
  );
  /** As if the five minutes between two verifications had passed: somebody asks every 30 s whether they have, and then compares all of it. */
  const verify = () => db.pool.query(`DELETE FROM cluster_lock WHERE name = 'ledger-verifier'`);
  await verify();
  await receives('gap', 'firing', 40 * SECOND);
  await db.pool.query(`INSERT INTO run (${columns}) SELECT ${columns} FROM taken; DROP TABLE taken`);
  await verify();
  await receives('gap', 'resolved', 40 * SECOND);
});
