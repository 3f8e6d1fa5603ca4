import { MINUTE, SECOND, systemClock, type TaskInput } from '@escapement/core';
import { cancelRun, resolveRun } from '@escapement/operations';
import { by, eventually } from '@escapement/testkit';
import { expect, it } from 'vitest';
import { alertStage, shell } from './alerts/stage.ts';

// Conditions of tasks and runs that come true on a fleet of real processes, beside those of alerts-of-a-fleet.long.test.ts.

const stage = await alertStage();
const { db, rules, save, trigger, receives, notified, start, cli } = stage;
const LEASE_MS = 4 * SECOND;
const lease = { ESCAPEMENT_LEASE_MS: String(LEASE_MS) };
/** Where it is about noon. */
const ahead = 12 - systemClock.now().getUTCHours();
const timeZone = `Etc/GMT${ahead >= 0 ? '-' : '+'}${Math.abs(ahead)}`;
await rules([
  { name: 'twice', when: { kind: 'failed', inARow: 2 }, on: { task: 'twice' } },
  { name: 'half', when: { kind: 'failed', of: { failures: 2, runs: 4 } }, on: { task: 'half' } },
  { name: 'late', when: { kind: 'late', afterMs: 2 * SECOND }, on: { task: 'late' } },
  { name: 'missed', when: { kind: 'missed' }, on: { task: 'missed' } },
  { name: 'held', when: { kind: 'held' }, on: { task: 'held' } },
  { name: 'waiting', when: { kind: 'waiting', afterMs: 1 * SECOND }, on: { task: 'waiting' } },
  { name: 'slow', when: { kind: 'slow', timesP95: 3 }, on: { task: 'slow' } },
  { name: 'unknown', when: { kind: 'unknown' }, on: { task: 'unknown' } },
  { name: 'started', when: { kind: 'not-started-by', at: '06:00', timeZone }, on: { task: 'started' } },
  { name: 'plans', when: { kind: 'unplannable' }, on: { task: 'plans' } },
  { name: 'log', when: { kind: 'suspicious', logHas: 'loaded' }, on: { task: 'log' } },
  { name: 'words', when: { kind: 'suspicious', logLacks: 'WARNING' }, on: { task: 'words' } },
  { name: 'rows', when: { kind: 'suspicious', output: '$.rows > 0' }, on: { task: 'rows' } },
  { name: 'bytes', when: { kind: 'suspicious', minLogBytes: 8 }, on: { task: 'bytes' } },
  { name: 'fast', when: { kind: 'suspicious', underMs: 3 * SECOND }, on: { task: 'fast' } },
  { name: 'usual', when: { kind: 'suspicious', underUsual: 0.5 }, on: { task: 'usual' } },
  { name: 'poison', when: { kind: 'quarantined' }, on: { task: 'poison' } },
]);
await Promise.all([start('scheduler', lease), start('worker', lease)]);

const fails = shell('test -e /nowhere');
const works = shell('true');
const often: Pick<TaskInput, 'schedule'> = { schedule: { kind: 'every', everyMs: 4 * SECOND } };
const ofNobody = { ...works, pool: 'nobody' };

/** As if its last 20 runs had taken so long. */
const usuallyTakes = (task: string, ms: number) =>
  db.pool.query(
    'INSERT INTO task_duration (task_id, runs, p50_ms, p95_ms) SELECT id, 20, $2, $2 FROM task WHERE name = $1',
    [task, ms],
  );

async function inState(task: string, state: string): Promise<string> {
  return await eventually(async () => {
    const { rows } = await db.pool.query<{ id: string; state: string }>(
      'SELECT r.id, r.state FROM run r JOIN task t ON t.id = r.task_id WHERE t.name = $1 ORDER BY r.scheduled_for DESC',
      [task],
    );
    const found = rows.find((row) => row.state === state);
    if (!found) expect({ task, rows }).toBe(state);
    return found?.id ?? '';
  }, 30 * SECOND);
}

const summaries = (rule: string, state: string) => notified(rule, state).map(({ summary }) => summary);

/** Runs a task until it has ended well. */
async function succeed(task: string): Promise<void> {
  await trigger(task);
  await inState(task, 'succeeded');
}

it('failures in a row, and among the last ones', async () => {
  await save({ name: 'twice', ...fails }, { name: 'half', ...fails });
  for (const task of ['twice', 'half']) await trigger(task);
  await Promise.all(['twice', 'half'].map((task) => inState(task, 'failed')));
  await new Promise((resolve) => setTimeout(resolve, 3 * SECOND));
  expect(['twice', 'half'].flatMap((rule) => notified(rule, 'firing'))).toEqual([]);
  for (const task of ['twice', 'half']) await trigger(task);
  await Promise.all(['twice', 'half'].map((rule) => receives(rule, 'firing', 2 * SECOND)));
  await save({ name: 'twice', ...works }, { name: 'half', ...works });
  await Promise.all(['twice', 'half'].map(succeed));
  await receives('twice', 'resolved');
});

it('a run that is late, one that waits for its key, one that is slow for its task', async () => {
  const long = shell('sleep 100');
  await save(
    { name: 'late', ...ofNobody },
    { name: 'waiting', ...long, overlap: 'wait-all' },
    { name: 'slow', ...long },
  );
  await usuallyTakes('slow', 400);
  const late = await trigger('late');
  const [first, slow] = [await trigger('waiting'), await trigger('slow')];
  await inState('waiting', 'running');
  const second = await trigger('waiting');
  await receives('late', 'firing', 2 * SECOND);
  await receives('waiting', 'firing', 2 * SECOND);
  await receives('slow', 'firing', 2 * SECOND);
  for (const id of [late, second, first, slow]) await cancelRun(db, id, by('test'));
  for (const rule of ['late', 'waiting', 'slow']) await receives(rule, 'resolved', 2 * SECOND);
});

it('occurrences that no worker took in time: missed, or held for a person', async () => {
  await save(
    { name: 'missed', ...ofNobody, ...often, catchUp: 'none' },
    { name: 'held', ...ofNobody, ...often, catchUp: 'ask' },
  );
  // One is due within 4 s, and a misfire 2 s later.
  await receives('missed', 'firing', 7 * SECOND);
  await receives('held', 'firing', 7 * SECOND);
  await save({ name: 'missed', ...works, ...often, catchUp: 'none' }, { name: 'held', ...works });
  await receives('missed', 'resolved', 5 * SECOND);
  const { rows } = await db.pool.query<{ id: string }>(`SELECT id FROM run WHERE state = 'held'`);
  for (const { id } of rows) await cancelRun(db, id, by('test'));
  await receives('held', 'resolved');
});

it('a run of which nobody knows what became of it', async () => {
  await save({ name: 'unknown', ...shell('sleep 100'), delivery: 'at-most-once', timeoutMs: 1 * SECOND });
  await trigger('unknown');
  const id = await inState('unknown', 'unknown');
  await receives('unknown', 'firing');
  await resolveRun(db, id, 'succeeded', by('test', 'seen in its log'));
  await receives('unknown', 'resolved');
});

it('a task that had not started by a time, and one that cannot be planned', async () => {
  await save({ name: 'starts', ...works }, { name: 'plans', ...works, schedule: { kind: 'every', everyMs: MINUTE } });
  // Nobody has seen it as a task of today.
  await db.pool.query(`UPDATE task SET created_at = now() - interval '2 days' WHERE name = 'starts'`);
  expect(await cli(['tasks', 'rename', 'starts', 'started'])).toMatchObject({ code: 0 });
  const planned = (schedule: object) =>
    db.pool.query(
      `WITH t AS (UPDATE task SET schedule = $1, definition = jsonb_set(definition, '{schedule}', $1) WHERE name = 'plans' RETURNING id)
       UPDATE task_plan SET next_run_at = now(), plan_after = NULL FROM t WHERE task_id = t.id`,
      [JSON.stringify(schedule)],
    );
  // As if it had been saved by a program whose zone data know more.
  await planned({ kind: 'cron', expression: '* * * * *', timeZone: 'Mars/Olympus' });
  await eventually(
    () => expect(summaries('started', 'firing')).toContain(`started had not started by 06:00 (${timeZone})`),
    10 * SECOND,
  );
  await receives('plans', 'firing', 2 * SECOND);
  // That there was no such task.
  await receives('started', 'resolved', 2 * SECOND);
  await trigger('started');
  await eventually(() => expect(summaries('started', 'resolved')).toHaveLength(2), 10 * SECOND);
  // As if these had come here.
  await planned({ kind: 'cron', expression: '* * * * *', timeZone: 'UTC' });
  await receives('plans', 'resolved', 5 * SECOND);
});

/** With that as the output of its runs. */
const answers = (rows: number): Pick<TaskInput, 'handler'> => ({
  handler: { type: 'shell', command: `echo '{"output": {"rows": ${rows}}}' >&3`, messages: true },
});

it('successes that are none: by their log, by their output and by how long they took', async () => {
  const tasks = ['log', 'words', 'rows', 'bytes', 'fast', 'usual'];
  await save(
    { name: 'log', ...works },
    { name: 'words', ...shell('echo WARNING: no rows') },
    { name: 'rows', ...answers(0) },
    { name: 'bytes', ...shell('echo 7 rows') },
    { name: 'fast', ...works },
    { name: 'usual', ...works },
  );
  await usuallyTakes('usual', 20 * SECOND);
  for (const task of tasks) await trigger(task);
  for (const task of tasks) await receives(task, 'firing', 2 * SECOND);
  await db.pool.query(
    `UPDATE task_duration SET p50_ms = 1, p95_ms = 1 FROM task t WHERE t.id = task_id AND t.name = 'usual'`,
  );
  await save(
    { name: 'log', ...shell('echo loaded 7 rows') },
    { name: 'words', ...shell('echo 7 rows') },
    { name: 'rows', ...answers(7) },
    { name: 'bytes', ...shell('echo loaded 7 rows') },
    { name: 'fast', ...shell('sleep 3.5') },
  );
  for (const task of tasks) await trigger(task);
  for (const task of tasks) await receives(task, 'resolved', 6 * SECOND);
  const { rows } = await db.pool.query(`SELECT DISTINCT state FROM run_mark m JOIN run r ON r.id = m.run_id`);
  expect(rows).toEqual([{ state: 'succeeded' }]);
});

it('a run whose worker dies of it', async () => {
  const pools = { ...lease, ESCAPEMENT_POOLS: 'risky' };
  await save({ name: 'poison', ...shell('sleep 100'), pool: 'risky', maxLost: 1 });
  const worker = await start('worker', pools);
  await trigger('poison');
  await inState('poison', 'running');
  await worker.kill();
  await receives('poison', 'firing', LEASE_MS + 2 * SECOND);
  await save({ name: 'poison', ...works, pool: 'risky' });
  await start('worker', pools);
  await trigger('poison');
  await receives('poison', 'resolved', 2 * SECOND);
});
