import { type Delivery, type EngineEvent, ManualClock, MINUTE, systemClock } from '@escapement/core';
import { connectRedis, createLeaseKeeper } from '@escapement/queue';
import { createDefinitions, type Definitions, requestCancel, writeHeartbeat } from '@escapement/store';
import { by } from '@escapement/testkit';
import { activeOn, testFleet } from '@escapement/testkit/fleet';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { lostRunsStep } from '../src/reconciler/lost-runs.ts';

const fleet = await testFleet();
const DEAD_MS = 10 * MINUTE;
const nobody = connectRedis({ url: 'redis://127.0.0.1:1', namespace: 'default', commandTimeoutMs: 200 });
const keeper = createLeaseKeeper({ redis: fleet.redis, leaseMs: DEAD_MS, onError: () => undefined });
afterAll(() => Promise.all([nobody.close(), keeper.close()]));

beforeEach(async () => {
  for (const table of ['run', 'attempt', 'process']) await fleet.db.pool.query(`DELETE FROM ${table}`);
});

/** A run at work on a worker that has been silent for so many minutes, and has a slot of its key or none. */
async function silent(
  task: string,
  minutes: number,
  { slot = true, delivery = 'at-least-once' as Delivery } = {},
): Promise<string> {
  await fleet.save({ name: task, delivery });
  const id = await activeOn(fleet.db, task, task);
  const worker = { id: task, role: 'worker', host: 'test', pid: 2, appVersion: '0', pools: ['default'] } as const;
  await writeHeartbeat(fleet.db, worker, { activeRuns: [id], clockOffsetMs: 0 });
  await fleet.db.pool.query(`UPDATE process SET heartbeat_at = now() - $1 * interval '1 min' WHERE id = $2`, [
    minutes,
    task,
  ]);
  if (!slot) await fleet.db.pool.query('UPDATE run SET slot = NULL WHERE id = $1', [id]);
  return id;
}

/** The step, and what it tells of. */
function aStep({
  leases = fleet.connection,
  get = createDefinitions(fleet.db).get,
}: {
  leases?: typeof nobody;
  get?: Definitions['get'];
} = {}) {
  const events: EngineEvent[] = [];
  const errors: unknown[] = [];
  const clock = new ManualClock();
  const { heal } = lostRunsStep({
    db: fleet.db,
    leases,
    definitions: { get },
    clock,
    databaseNow: () => systemClock.now(),
    steadyMs: () => DEAD_MS,
    deadMs: DEAD_MS,
    emit: (event) => void events.push(event),
    onError: (error) => void errors.push(error),
  });
  return { heal, clock, events, errors };
}

const healed = (lost_run: number) => ({ counts: { lost_run }, more: false });
const stateOf = async (task: string) => (await fleet.runs(task))[0]?.state;

it.each([
  [9, 'running'],
  [15, 'retrying'],
])('a run whose worker has been silent for %d minutes, of ten that it may, is %s', async (minutes, state) => {
  const task = `silent-${minutes}`;
  await silent(task, minutes, { slot: false });
  await aStep().heal();
  expect(await stateOf(task)).toBe(state);
});

it('while Redis does not answer a run with a slot is left alone, which is told of, and one without is judged', async () => {
  await silent('with-slot', 15);
  await silent('without-slot', 15, { slot: false });
  const { heal, errors } = aStep({ leases: nobody });
  expect(await heal()).toEqual(healed(1));
  expect([await stateOf('with-slot'), await stateOf('without-slot')]).toEqual(['running', 'retrying']);
  expect(errors).toMatchObject([{ code: 'redis_unreachable' }]);
});

it('of silent workers those whose lease stands keep their runs, and the others do not', async () => {
  const kept = await silent('kept', 15);
  await silent('gone', 15);
  await silent('gone-too', 15);
  const { held } = await keeper.acquire({ key: 'kept', limit: 1, runId: kept, worker: 'kept', dispatch: 1 });
  expect(held).toBe(true);
  const { heal, clock } = aStep();
  expect(await heal()).toEqual(healed(0));
  clock.advance(DEAD_MS / 2);
  expect(await heal()).toEqual(healed(2));
  const states = [await stateOf('kept'), await stateOf('gone'), await stateOf('gone-too')];
  expect(states).toEqual(['running', 'retrying', 'retrying']);
});

it('a run counts as alone on a worker that lost others before, was heard again, and was lost anew', async () => {
  const { heal } = aStep();
  await silent('before', 15, { slot: false });
  await heal();
  const lostAlone = async (task: string, minutes: number) => {
    const run = await silent(task, minutes, { slot: false });
    await fleet.db.pool.query(`UPDATE run SET worker = 'before' WHERE id = $1`, [run]);
    await fleet.db.pool.query(
      `UPDATE process SET heartbeat_at = now() - $1 * interval '1 min', active_runs = $2 WHERE id = 'before'`,
      [minutes, [run]],
    );
    await heal();
    const { rows } = await fleet.db.pool.query<{ lost: number }>('SELECT lost FROM run WHERE id = $1', [run]);
    return rows[0]?.lost;
  };
  expect(await lostAlone('of-the-same-loss', 15)).toBe(0);
  expect(await lostAlone('of-another-loss', 12)).toBe(1);
});

it('a run that is tried again is not told of', async () => {
  await silent('again', 15, { slot: false });
  const { heal, events } = aStep();
  expect(await heal()).toEqual(healed(1));
  expect(events).toEqual([]);
});

it('a run whose definition cannot be read is told of without the name of its task, and so is what is wrong', async () => {
  const id = await silent('unread', 15, { slot: false, delivery: 'at-most-once' });
  const unread = new Error('not to be read');
  const { heal, events, errors } = aStep({ get: () => Promise.reject(unread) });
  expect(await heal()).toEqual(healed(1));
  expect(events).toMatchObject([{ event: 'run_lost', run: id, task: null, state: 'unknown', lost: 1 }]);
  expect(errors).toEqual([unread]);
});

it('while definitions cannot be asked for no run is judged', async () => {
  await silent('unasked', 15, { slot: false });
  const away = Object.assign(new Error('away'), { code: 'ECONNREFUSED' });
  await expect(aStep({ get: () => Promise.reject(away) }).heal()).rejects.toBe(away);
  expect(await stateOf('unasked')).toBe('running');
});

it('a run that was to be cancelled ends as that, and the attempt does not count', async () => {
  const id = await silent('unwanted', 15, { slot: false });
  await requestCancel(fleet.db, id, by('ann'));
  expect(await aStep().heal()).toEqual(healed(1));
  const { rows } = await fleet.db.pool.query('SELECT state, uncounted FROM run WHERE id = $1', [id]);
  expect(rows).toEqual([{ state: 'cancelled', uncounted: 1 }]);
});

it('where nothing is lost nothing is told of', async () => {
  const { heal, events, errors } = aStep();
  expect(await heal()).toEqual(healed(0));
  expect([events, errors]).toEqual([[], []]);
});
