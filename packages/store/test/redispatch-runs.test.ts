import { lockRows } from '@escapement/testkit';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { redispatchRuns, type StuckRun, writeHeartbeat } from '../src/index.ts';
import { ago, begun, MINUTE, makeTask, type QueuedFixture, queueRuns, twoProcesses, WORKER } from './ledger.ts';

const processes = await twoProcesses();
const { one } = processes;
afterAll(() => processes.close());
beforeEach(async () => {
  await one.pool.query('DELETE FROM process');
});

async function queued(name: string): Promise<QueuedFixture> {
  const taskId = await makeTask(one, { name });
  const [run] = await queueRuns(one, [{ taskId, key: name, ageMs: MINUTE }]);
  if (!run) throw new Error('no fixture');
  return run;
}

function stuck(run: QueuedFixture, takenAt: Date | null = null): StuckRun {
  const { runId: id, scheduledFor, dispatch } = run;
  return { id, scheduledFor, dueAt: scheduledFor, queue: 'default+shell', dispatch, takenAt };
}

async function anew(run: StuckRun): Promise<number[]> {
  return (await redispatchRuns(one, [run], { deadMs: MINUTE })).map(({ dispatch }) => dispatch);
}

const heartbeat = (id: string, activeRuns: string[] = []) =>
  writeHeartbeat(one, { ...WORKER, id }, { activeRuns, clockOffsetMs: 0 });

it('a queued run gets the next dispatch number, once for what was seen', async () => {
  const run = await queued('once');
  expect(await anew(stuck(run))).toEqual([2]);
  expect(await anew(stuck(run))).toEqual([]);
});

it('a run that has begun meanwhile is left alone, though no worker is known', async () => {
  const run = await queued('begun');
  await begun(one, [run]);
  expect(await anew(stuck(run))).toEqual([]);
});

it('a run is left alone while a worker lists it that lives, in its last heartbeat or the one before', async () => {
  const run = await queued('listed');
  await heartbeat('w', [run.runId]);
  expect(await anew(stuck(run))).toEqual([]);
  await heartbeat('w');
  expect(await anew(stuck(run))).toEqual([]);
  await heartbeat('w');
  expect(await anew(stuck(run))).toEqual([2]);
});

it('a run is left alone that a worker may have taken since it listed all that it holds', async () => {
  const run = await queued('taken');
  for (const _ of [1, 2]) await heartbeat('w');
  await one.pool.query(`UPDATE process SET started_at = now() - interval '1 h'`);
  expect(await anew(stuck(run, ago(0)))).toEqual([]);
  // It has made two heartbeats since, and lists nothing.
  expect(await anew(stuck(run, ago(MINUTE)))).toEqual([2]);
});

it.each([
  ['is dead', `heartbeat_at = now() - interval '1 h'`],
  ['has shut down', 'stopped_at = now()'],
  ['is a scheduler', `role = 'scheduler'`],
  ['serves other pools', `pools = '{other}'`],
  ['lacks what the run needs', `offers = '{}'`],
  ['is of another namespace', `namespace = 'other'`],
  ['has started since', `started_at = now() + interval '1 h'`],
])('a worker that %s keeps no run from being queued anew', async (why, set) => {
  const run = await queued(why.replaceAll(' ', '-'));
  await heartbeat('w');
  expect(await anew(stuck(run, ago(0)))).toEqual([]);
  await one.pool.query(`UPDATE process SET ${set}`);
  expect(await anew(stuck(run, ago(0)))).toEqual([2]);
});

it('a run of another namespace is left alone', async () => {
  const run = await queued('elsewhere');
  expect(await redispatchRuns({ ...one, namespace: 'other' }, [stuck(run)], { deadMs: MINUTE })).toEqual([]);
  expect(await anew(stuck(run))).toEqual([2]);
});

it('another run of the same instant is left alone', async () => {
  const [run, beside] = [await queued('asked-for'), await queued('not-asked-for')];
  await one.pool.query('UPDATE run SET scheduled_for = $2 WHERE id = $1', [beside.runId, run.scheduledFor]);
  expect(await anew(stuck(run))).toEqual([2]);
  const { rows } = await one.pool.query('SELECT dispatch FROM run WHERE id = $1', [beside.runId]);
  expect(rows).toEqual([{ dispatch: 1 }]);
});

it('a run that somebody has locked is left alone, and nobody waits for it', async () => {
  const run = await queued('locked');
  const held = await lockRows(String(one.pool.options.connectionString), 'SELECT FROM run WHERE id = $1 FOR UPDATE', [
    run.runId,
  ]);
  expect(await anew(stuck(run))).toEqual([]);
  await held.release();
  expect(await anew(stuck(run))).toEqual([2]);
});

it.each(['started_at', 'prev_heartbeat_at'])(
  'a second after the job was taken, and not before, the %s of a worker is later',
  async (column) => {
    const takenAt = ago(MINUTE);
    const run = await queued(`a-second-${column}`);
    await heartbeat('w');
    const set = async (ms: number) => {
      await one.pool.query('UPDATE process SET started_at = $1, prev_heartbeat_at = $1', [
        new Date(takenAt.getTime() - MINUTE),
      ]);
      await one.pool.query(`UPDATE process SET ${column} = $1`, [new Date(takenAt.getTime() + ms)]);
    };
    await set(999);
    expect(await anew(stuck(run, takenAt))).toEqual([]);
    await set(1000);
    expect(await anew(stuck(run, takenAt))).toEqual([2]);
  },
);
