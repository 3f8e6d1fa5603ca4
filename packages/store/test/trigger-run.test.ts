import { newRunId, type TaskInput } from '@escapement/core';
import { WORKER_AWAITED_MS } from '@escapement/core/plan';
import { by } from '@escapement/testkit';
import { afterAll, expect, it } from 'vitest';
import { type TriggerRequest, triggerRun } from '../src/index.ts';
import { ago, MINUTE, makeTask, twoProcesses } from './ledger.ts';

const processes = await twoProcesses();
const { one } = processes;
afterAll(() => processes.close());

const NOBODY = '00000000-0000-7000-8000-000000000001';

function request(taskId: string, more: Partial<TriggerRequest> = {}): TriggerRequest {
  const scheduledFor = ago(0);
  const id = newRunId(scheduledFor);
  return { id, scheduledFor, taskId, origin: 'trigger', key: 'k', payload: undefined, by: by('ann'), ...more };
}

async function triggered(name: string, more: Partial<TriggerRequest> = {}, input: Partial<TaskInput> = {}) {
  const asked = request(await makeTask(one, { name, ...input }), more);
  expect(await triggerRun(one, asked)).toBe(true);
  const { rows } = await one.pool.query(
    `SELECT key, own_key, payload, payload IS NULL AS without_payload, need,
       (extract(epoch FROM start_by - due_at) * 1000)::float8 AS deadline FROM run WHERE id = ANY ($1)`,
    [asked.on?.map(({ id }) => id) ?? [asked.id]],
  );
  const { rows: actions } = await one.pool.query(`SELECT detail FROM audit WHERE action = 'trigger' AND subject = $1`, [
    `task:${name}`,
  ]);
  return { row: rows[0], detail: actions[0]?.detail };
}

it.each([
  ['none', undefined, true, null],
  ['an object', { day: 7 }, false, { day: 7 }],
  ['null', null, false, null],
])('a run has the payload that it was given: %s', async (name, payload, without, stored) => {
  const { row } = await triggered(`payload-${name.replace(' ', '-')}`, { payload });
  expect(row).toMatchObject({ payload: stored, without_payload: without });
});

it('a key that was given for this run is its own, and is written down with who gave it', async () => {
  const plain = await triggered('key-of-the-task');
  expect(plain.row).toMatchObject({ key: 'k', own_key: false });
  expect(plain.detail).toEqual({ run: expect.any(String) });
  const own = await triggered('key-of-its-own', { ownKey: true });
  expect(own.row).toMatchObject({ key: 'k', own_key: true });
  expect(own.detail).toEqual({ run: expect.any(String), key: 'k' });
});

it('how late it may start is said by its task; a run of a worker waits for that a while, others for ever', async () => {
  const on = () => [{ id: newRunId(ago(0)), key: 'k', worker: 'w' }];
  expect((await triggered('no-deadline')).row).toMatchObject({ deadline: null, need: 'shell' });
  expect((await triggered('on-a-worker', { on: on() })).row).toMatchObject({
    deadline: WORKER_AWAITED_MS,
    need: 'shell@w',
  });
  const input = { startDeadlineMs: 5 * MINUTE };
  expect((await triggered('deadline', {}, input)).row).toMatchObject({ deadline: 5 * MINUTE });
  expect((await triggered('both', { on: on() }, input)).row).toMatchObject({ deadline: 5 * MINUTE });
});

it('of a task that is not there, is deleted, or is of another namespace no run is made', async () => {
  const count = async () => (await one.pool.query('SELECT FROM run')).rowCount;
  const taskId = await makeTask(one, { name: 'deleted' });
  const before = await count();
  expect(await triggerRun(one, request(NOBODY))).toBe(false);
  expect(await triggerRun({ ...one, namespace: 'other' }, request(taskId))).toBe(false);
  await one.pool.query('UPDATE task SET deleted_at = now() WHERE id = $1', [taskId]);
  expect(await triggerRun(one, request(taskId))).toBe(false);
  expect(await count()).toBe(before);
});
