import { newRunId } from '@escapement/core';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { lostRuns, writeHeartbeat } from '../src/index.ts';
import { ago, begun, MINUTE, makeTask, type QueuedFixture, queueRuns, twoProcesses, WORKER } from './ledger.ts';

const processes = await twoProcesses();
const { one } = processes;
const other = { ...one, namespace: 'other' };
afterAll(() => processes.close());
beforeEach(async () => {
  for (const table of ['run', 'process', 'attempt']) await one.pool.query(`DELETE FROM ${table}`);
});

/** A heartbeat that was gathered before the run began lists nothing. */
const emptyHeartbeat = () => writeHeartbeat(one, WORKER, { activeRuns: [], clockOffsetMs: 0 });

async function lost(): Promise<string[]> {
  const runs = await lostRuns(one, { silentMs: MINUTE, limit: 10 });
  return runs.filter(({ forsaken }) => forsaken).map(({ runId }) => runId);
}

it('a run that began between two heartbeats is lost only when a third one leaves it out too', async () => {
  const taskId = await makeTask(one, { name: 'between' });
  await emptyHeartbeat();
  const runs = await queueRuns(one, [{ taskId, key: 'between', ageMs: MINUTE }]);
  await begun(one, runs);
  await emptyHeartbeat();
  // As if it had been a while after the begin: both count in whole milliseconds.
  await one.pool.query(`UPDATE process SET heartbeat_at = heartbeat_at + interval '1 s'`);
  expect(await lost()).toEqual([]);
  await emptyHeartbeat();
  expect(await lost()).toEqual(runs.map(({ runId }) => runId));
});

const STRANGER = newRunId(ago(MINUTE));

/** A run that began an hour ago. */
async function atWork(name: string, { worker = 'w', set = 'attempt = 1' } = {}): Promise<QueuedFixture> {
  const taskId = await makeTask(one, { name });
  const [run] = await queueRuns(one, [{ taskId, key: name, ageMs: 65 * MINUTE }]);
  if (!run) throw new Error('no fixture');
  await one.pool.query(
    `UPDATE run SET state = 'running', attempt = 1, fence = 1, worker = $2, started_at = now() - interval '1 h' WHERE id = $1`,
    [run.runId, worker],
  );
  await one.pool.query(`UPDATE run SET ${set} WHERE id = $1`, [run.runId]);
  return run;
}

/** A worker that lives and has not listed the run for long; what is said otherwise differs. */
async function aWorker(set: string, run?: QueuedFixture): Promise<void> {
  await one.pool.query(
    `INSERT INTO process (id, role, host, pid, app_version, heartbeat_at, prev_heartbeat_at, active_runs, prev_active_runs)
     VALUES ('w', 'worker', 'h', 1, '0', now(), now() - interval '10 s', ARRAY[$1::uuid], ARRAY[$1::uuid])`,
    [STRANGER],
  );
  await one.pool.query(`UPDATE process SET ${set}`.replaceAll('RUN', `'${run?.runId}'::uuid`));
}

const LISTED = 'active_runs = ARRAY[RUN], prev_active_runs = ARRAY[RUN]';
const SILENT = `heartbeat_at = now() - interval '1 h', prev_heartbeat_at = now() - interval '2 h'`;
const look = (limit = 10, db = one) => lostRuns(db, { silentMs: 10 * MINUTE, limit });
const idsOf = async (limit = 10, db = one) => (await look(limit, db)).map(({ runId }) => runId);

it.each<[string, string, { forsaken: boolean; shared: boolean } | undefined]>([
  ['has left it out twice', `stopped_at = NULL`, { forsaken: true, shared: true }],
  ['lists it', LISTED, undefined],
  ['lists it again', 'active_runs = ARRAY[RUN]', undefined],
  ['listed it the time before', 'prev_active_runs = ARRAY[RUN]', undefined],
  ['began it at its last heartbeat but one', `prev_heartbeat_at = now() - interval '1 h'`, undefined],
  ['has not shut down, and is silent', `${LISTED}, ${SILENT}`, { forsaken: false, shared: false }],
  ['was heard within the bound', `${LISTED}, heartbeat_at = now() - interval '9 min'`, undefined],
  [
    'is silent with another run',
    `active_runs = ARRAY[RUN, '${STRANGER}'], ${SILENT}`,
    { forsaken: false, shared: true },
  ],
  ['has shut down', `${LISTED}, stopped_at = now()`, { forsaken: true, shared: true }],
  ['is of another namespace', `${LISTED}, namespace = 'other'`, { forsaken: true, shared: false }],
])('of a run whose worker %s', async (why, set, told) => {
  const run = await atWork(`of-${why.replaceAll(/\W/g, '-')}`);
  await aWorker(set, run);
  await one.pool.query(`UPDATE run SET started_at = p.prev_heartbeat_at FROM process p WHERE $1 LIKE 'began%'`, [why]);
  expect(await look()).toMatchObject(told ? [{ runId: run.runId, ...told }] : []);
});

it('a run of a worker that nobody knows is lost; that worker had others, where another one names it', async () => {
  const run = await atWork('alone');
  expect(await look()).toMatchObject([{ runId: run.runId, forsaken: true, shared: false, silentMs: 0 }]);
  await atWork('elsewhere', { worker: 'v' });
  expect(await look()).toMatchObject([{ shared: false }, { shared: false }]);
  await atWork('together');
  const shared = (await look()).map((each) => [each.worker, each.shared]);
  expect(shared.sort()).toEqual([
    ['v', false],
    ['w', true],
    ['w', true],
  ]);
});

it.each([
  ['is queued', `state = 'queued'`],
  ['is between attempts', `state = 'retrying'`],
  ['is of unknown outcome', `state = 'unknown', reason = 'x'`],
  ['has ended', `state = 'succeeded', finished_at = now()`],
  ['is not due', `due_at = now() + interval '1 h'`],
  ['is of another namespace', `namespace = 'other'`],
])('a run that %s is not lost', async (why, set) => {
  await atWork(`not-${why.replaceAll(' ', '-')}`, { set });
  expect(await look()).toEqual([]);
});

it('looks begin with the oldest run that is open', async () => {
  const run = await atWork('open-from');
  const from = (ms: number) => ({
    ...one,
    openFrom: { ...one.openFrom, runs: new Date(run.scheduledFor.getTime() + ms).toISOString() },
  });
  expect(await idsOf(10, from(0))).toEqual([run.runId]);
  expect(await idsOf(10, from(1))).toEqual([]);
  expect(await idsOf(10, other)).toEqual([]);
});

it('those that are lost for certain come first', async () => {
  await aWorker(SILENT);
  for (const name of ['silent-1', 'silent-2', 'silent-3', 'silent-4']) await atWork(name);
  const certain = [
    (await atWork('certain-1', { worker: 'v' })).runId,
    (await atWork('certain-2', { worker: 'u' })).runId,
  ];
  expect((await idsOf(2)).sort()).toEqual(certain.sort());
  expect(await idsOf()).toHaveLength(6);
});

it('of earlier attempts those that lost their worker are counted, of this run alone', async () => {
  const run = await atWork('third', { set: 'attempt = 4' });
  const attempts: [string, number, string][] = [
    [run.runId, 1, 'lost'],
    [run.runId, 2, 'failed'],
    [run.runId, 3, 'lost'],
    [newRunId(run.scheduledFor), 1, 'lost'],
  ];
  for (const [id, attempt, outcome] of attempts)
    await one.pool.query('INSERT INTO attempt (run_id, scheduled_for, attempt, outcome) VALUES ($1, $2, $3, $4)', [
      ...[id, run.scheduledFor, attempt, outcome],
    ]);
  expect(await look()).toMatchObject([{ attempt: 4, before: 2 }]);
});

it.each([
  ['says so', `'{"delivery": "at-least-once"}'`, 'at-least-once'],
  ['says nothing', `v.definition - 'delivery'`, 'at-least-once'],
  ['says otherwise', `'{"delivery": "at-most-once"}'`, 'at-most-once'],
  ['says what is not known here', `'{"delivery": "now-and-then"}'`, 'at-most-once'],
])('the delivery of a run is that of the version that it runs: one that %s', async (why, definition, delivery) => {
  const name = `version-${why.replaceAll(' ', '-')}`;
  await atWork(name);
  // Another version, which is not the one of the run, says the opposite.
  const opposite = delivery === 'at-most-once' ? 'at-least-once' : 'at-most-once';
  await one.pool.query(
    `INSERT INTO task_version (task_id, version, definition, source, created_by, saver_kind, saver_id)
     SELECT v.task_id, 2, v.definition || jsonb_build_object('delivery', $2::text), v.source, v.created_by, v.saver_kind, v.saver_id
     FROM task_version v JOIN task t ON t.id = v.task_id WHERE t.name = $1`,
    [name, opposite],
  );
  await one.pool.query(
    `UPDATE task_version v SET definition = ${definition} FROM task t WHERE t.id = v.task_id AND t.name = $1 AND v.version = 1`,
    [name],
  );
  expect((await look()).map((run) => run.delivery)).toEqual([delivery]);
});

it('of a version that is not there any more a run may have been at most once', async () => {
  await atWork('no-version', { set: 'task_version = 9' });
  expect(await look()).toMatchObject([{ delivery: 'at-most-once' }]);
});
