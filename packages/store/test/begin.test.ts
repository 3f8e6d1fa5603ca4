import { by } from '@escapement/testkit';
import { afterAll, describe, expect, it } from 'vitest';
import { beginRuns, finishRuns, freezeFleet, pauseTask, planRuns, resumeTask, unfreezeFleet } from '../src/index.ts';
import {
  ago,
  beginRequest,
  begun,
  finishRequest,
  MINUTE,
  makeTask,
  queueRuns,
  stateOf,
  twoProcesses,
} from './ledger.ts';

const processes = await twoProcesses();
afterAll(() => processes.close());

describe('begin', () => {
  async function queued(name: string, ages: readonly number[] = [MINUTE]) {
    const taskId = await makeTask(processes.one, { name });
    return await queueRuns(
      processes.one,
      ages.map((ageMs) => ({ taskId, key: name, ageMs })),
    );
  }

  it('starts a run once, however many connections race for it', async () => {
    const runs = await queued('race');
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, index) => {
        const db = index % 2 === 0 ? processes.one : processes.two;
        return beginRuns(
          db,
          runs.map((run) => beginRequest(run, `worker-${index}`)),
        );
      }),
    );
    const kinds = results.flat().map((result) => result.kind);
    expect(kinds.filter((kind) => kind === 'begun')).toHaveLength(1);
    expect(kinds.filter((kind) => kind === 'stale')).toHaveLength(19);
  });

  it('lets one of two runs of a key start, and names it to the other', async () => {
    const [first, second] = await queued('one-key', [2 * MINUTE, MINUTE]);
    if (!first || !second) throw new Error('no fixture');
    const [a, b] = await Promise.all([
      beginRuns(processes.one, [beginRequest(first)]),
      beginRuns(processes.two, [beginRequest(second)]),
    ]);
    const kinds = [a[0]?.kind, b[0]?.kind].sort();
    expect(kinds).toEqual(['begun', 'busy']);
    const busy = a[0]?.kind === 'busy' ? a[0] : b[0];
    expect(busy).toMatchObject({ holder: a[0]?.kind === 'begun' ? first.runId : second.runId });
  });

  it('returns its first result when it is repeated after a lost reply', async () => {
    const [run] = await queued('lost-reply');
    if (!run) throw new Error('no fixture');
    const request = beginRequest(run);
    const [first] = await beginRuns(processes.one, [request]);
    const [again] = await beginRuns(processes.two, [request]);
    expect(again).toEqual(first);
    expect(first).toMatchObject({ kind: 'begun', run: { attempt: 1 } });
  });

  it('raises the fence with each start on a slot', async () => {
    const runs = await queued('fence', [3 * MINUTE, 2 * MINUTE, MINUTE]);
    const fences: bigint[] = [];
    for (const run of runs) {
      const [mine] = await begun(processes.one, [run]);
      if (!mine) throw new Error('not begun');
      fences.push(mine.fence);
      expect(await finishRuns(processes.one, [finishRequest(mine)])).toEqual(['applied']);
    }
    expect(fences).toEqual([...new Set(fences)].sort((a, b) => Number(a - b)));
  });

  it('never starts early by the clock of Postgres', async () => {
    const [run] = await queued('early', [-5000]);
    if (!run) throw new Error('no fixture');
    const [result] = await beginRuns(processes.one, [beginRequest(run)]);
    expect(result?.kind).toBe('early');
    expect(result).toMatchObject({ remainingMs: expect.any(Number) });
    expect(await stateOf(processes.one, run.runId)).toBe('queued');
  });

  it('refuses a job of an older dispatch', async () => {
    const [run] = await queued('old-job');
    if (!run) throw new Error('no fixture');
    const [result] = await beginRuns(processes.one, [beginRequest({ ...run, dispatch: 3 })]);
    expect(result).toEqual({ kind: 'stale' });
  });

  it('says that a pause, an edit or a delete is in the way', async () => {
    const [paused] = await queued('paused', [-60_000]);
    const [deleted] = await queued('deleted');
    if (!paused || !deleted) throw new Error('no fixture');
    await pauseTask(processes.one, { name: 'paused', untilAt: null, by: by('test', 'deploy') });
    await processes.one.pool.query(`UPDATE task SET deleted_at = now() WHERE name = 'deleted'`);
    const results = await beginRuns(processes.one, [beginRequest(paused), beginRequest(deleted)]);
    expect(results[0]).toMatchObject({ kind: 'ended', state: 'skipped', reason: 'paused: deploy' });
    expect(results[1]).toMatchObject({ kind: 'ended', state: 'cancelled' });
    expect(await resumeTask(processes.one, 'paused', by('test'))).toBe(1);
  });

  it('says that the fleet is frozen, whatever else is in the way of an occurrence', async () => {
    const [frozen] = await queued('frozen', [-60_000]);
    if (!frozen) throw new Error('no fixture');
    await freezeFleet(processes.one, null, by('test', 'moving'));
    const [result] = await beginRuns(processes.one, [beginRequest(frozen)]);
    expect(result).toMatchObject({ kind: 'ended', state: 'skipped', reason: 'the fleet was frozen: moving' });
    expect(await unfreezeFleet(processes.one, by('test'))).toBe(true);
  });

  it('supersedes a run planned before an edit and due after it', async () => {
    const [run] = await queued('edited');
    if (!run) throw new Error('no fixture');
    await processes.one.pool.query(
      `UPDATE task SET plan_epoch = plan_epoch + 1, effective_at = $1 WHERE name = 'edited'`,
      [ago(2 * MINUTE)],
    );
    const [result] = await beginRuns(processes.one, [beginRequest(run)]);
    expect(result).toMatchObject({ kind: 'ended', state: 'superseded' });
  });

  it('begins many keys from two connections in opposite order without a deadlock', async () => {
    const names = Array.from({ length: 40 }, (_, index) => `order-${index}`);
    const fixtures = [];
    for (const name of names) fixtures.push(...(await queued(name, [2 * MINUTE, MINUTE])));
    const requests = fixtures.map((run) => beginRequest(run));
    const firsts = requests.filter((_, index) => index % 2 === 0);
    const seconds = requests.filter((_, index) => index % 2 === 1).reverse();
    const [one, two] = await Promise.all([beginRuns(processes.one, firsts), beginRuns(processes.two, seconds)]);
    expect([...one, ...two].filter((result) => result.kind === 'begun')).toHaveLength(40);
  });
});

describe('planning rows', () => {
  it('gives each occurrence to one of two planners', async () => {
    const { one, two } = processes;
    const taskId = await makeTask(one, { name: 'planned-twice' });
    const at = ago(5 * MINUTE);
    const row = (id: string) => ({
      id,
      taskId,
      scheduledFor: at,
      dueAt: at,
      origin: 'schedule' as const,
      misfireAt: null,
      inTurn: false,
      state: 'planned' as const,
      reason: null,
      key: 'k',
      untilAt: null,
      occurrences: 1,
    });
    const move = { taskId, planSeq: 0, nextRunAt: ago(MINUTE) };
    const results = await Promise.all([
      planRuns(one, [move], [row('019b0000-0000-7000-8000-000000000001')]),
      planRuns(two, [move], [row('019b0000-0000-7000-8000-000000000002')]),
    ]);
    expect(results.map((result) => result.moved).sort()).toEqual([0, 1]);
    const { rows } = await one.pool.query('SELECT id FROM run WHERE task_id = $1', [taskId]);
    expect(rows).toHaveLength(1);
  });
});
