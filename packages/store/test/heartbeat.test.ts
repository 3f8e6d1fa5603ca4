import { by } from '@escapement/testkit';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { drainWorker, endProcess, type ProcessInfo, writeHeartbeat } from '../src/index.ts';
import { twoProcesses } from './ledger.ts';

const processes = await twoProcesses();
const { one } = processes;
const other = { ...one, namespace: 'other' };
afterAll(() => processes.close());
beforeEach(async () => {
  for (const table of ['process', 'pool', 'deployment']) await one.pool.query(`DELETE FROM ${table}`);
});

const PLAIN: ProcessInfo = { id: 'w', role: 'worker', host: 'h', pid: 1, appVersion: '1', pools: ['gpu', 'cpu'] };
const QUIET = { activeRuns: [], clockOffsetMs: null };

async function rowOf(columns: string) {
  const { rows } = await one.pool.query(`SELECT ${columns} FROM process WHERE id = 'w'`);
  return rows[0];
}

it('what a process does not say of itself is none', async () => {
  await writeHeartbeat(one, PLAIN, QUIET);
  expect(
    await rowOf('offers, exposes, is_named, name, clock_offset_ms, planned_at, deployment_id, concurrency'),
  ).toEqual({
    ...{ offers: [], exposes: [], is_named: false, name: null, clock_offset_ms: null, planned_at: null },
    ...{ deployment_id: null, concurrency: null },
  });
});

it.each([
  [17, 17],
  [-17, -17],
  [0, 0],
  [2 ** 31 - 1, 2_147_483_647],
  [2 ** 31, 2_147_483_647],
  [1e15, 2_147_483_647],
  [-1e15, -2_147_483_647],
])('a clock that is off by %d ms is written down as off by %d', async (clockOffsetMs, told) => {
  await writeHeartbeat(one, PLAIN, { ...QUIET, clockOffsetMs });
  expect(await rowOf('clock_offset_ms')).toEqual({ clock_offset_ms: told });
});

it('a process of another namespace is not written over, and who tries is told', async () => {
  await writeHeartbeat(one, PLAIN, QUIET);
  await expect(writeHeartbeat(other, { ...PLAIN, host: 'x' }, QUIET)).rejects.toThrow('was not written');
  expect(await rowOf('namespace, prev_heartbeat_at')).toEqual({ namespace: one.namespace, prev_heartbeat_at: null });
});

it('code is that which is named, of the namespace of the process', async () => {
  const { rows } = await one.pool.query<{ id: string; namespace: string }>(DEPLOYMENTS, [one.namespace]);
  const [own, elsewhere] = [one.namespace, 'other'].map((name) => rows.find(({ namespace }) => namespace === name)?.id);
  if (!own || !elsewhere) throw new Error('no fixture');
  for (const [deploymentId, told] of [
    [undefined, null],
    [elsewhere, null],
    [own, own],
  ]) {
    await one.pool.query('DELETE FROM process');
    await writeHeartbeat(one, { ...PLAIN, ...(deploymentId ? { deploymentId } : {}) }, QUIET);
    expect(await rowOf('deployment_id::text')).toEqual({ deployment_id: told });
  }
});

it('it is told which of its pools rest, of its namespace and now; all where it drains', async () => {
  for (const [namespace, name, from, until] of [
    [one.namespace, 'gpu', '-1 h', '1 h'],
    [one.namespace, 'of-nobody', '-1 h', '1 h'],
    ['other', 'cpu', '-1 h', '1 h'],
    [one.namespace, 'cpu', '-1 h', '-1 min'],
  ])
    await one.pool.query(
      `INSERT INTO pool (namespace, name, paused_from, paused_until, paused_by) VALUES ($1, $2, now() + $3::interval, now() + $4::interval, 'ann')`,
      [namespace, name, from, until],
    );
  expect((await writeHeartbeat(one, PLAIN, QUIET)).heldPools).toEqual(['gpu']);
  await drainWorker(one, 'w', by('ann'));
  expect((await writeHeartbeat(one, PLAIN, QUIET)).heldPools).toEqual(['gpu', 'cpu']);
});

it('a process stops in its namespace alone, and lives again with its next heartbeat', async () => {
  await writeHeartbeat(one, PLAIN, QUIET);
  await endProcess(other, 'w');
  expect(await rowOf('stopped_at IS NULL AS lives')).toEqual({ lives: true });
  await endProcess(one, 'w');
  expect(await rowOf('stopped_at IS NULL AS lives')).toEqual({ lives: false });
  await writeHeartbeat(one, PLAIN, QUIET);
  expect(await rowOf('stopped_at IS NULL AS lives')).toEqual({ lives: true });
});

const DEPLOYMENTS = `
INSERT INTO deployment (namespace, app, fingerprint, whole, tasks)
VALUES ($1, 'a', 'f', true, '{}'), ('other', 'a', 'f', true, '{}') RETURNING id::text, namespace`;
