import { afterAll, expect, it } from 'vitest';
import {
  beginRuns,
  type Database,
  findLateStarts,
  finishLateStarts,
  finishRuns,
  writeHeartbeat,
} from '../src/index.ts';
import { beginRequest, begun, finishRequest, MINUTE, makeTask, queueRuns, twoProcesses, WORKER } from './ledger.ts';

const processes = await twoProcesses();
const { one, two } = processes;
afterAll(() => processes.close());

const DEADLINE_MS = 10 * MINUTE;
const DEAD_MS = 10_000;
async function queued(name: string, ages: readonly number[], startDeadlineMs = DEADLINE_MS) {
  const taskId = await makeTask(one, { name, startDeadlineMs });
  return await queueRuns(
    one,
    ages.map((ageMs) => ({ taskId, key: name, ageMs })),
  );
}

const endLate = async (db: Database) =>
  await finishLateStarts(db, await findLateStarts(db, { limit: 100, deadMs: DEAD_MS }));

async function rowOf(runId: string | undefined) {
  const { rows } = await one.pool.query('SELECT state, reason, blocked_by FROM run WHERE id = $1', [runId]);
  return rows[0];
}

it('a run that comes to a worker after its start deadline is not begun, and is to be missed', async () => {
  const [late, inTime] = await queued('at-begin', [11 * MINUTE, 9 * MINUTE]);
  if (!late || !inTime) throw new Error('no fixture');
  expect(await beginRuns(one, [beginRequest(late)])).toMatchObject([
    {
      kind: 'ended',
      state: 'missed',
      reason: expect.stringMatching(/^not started within 10 min of its due time \(now 11 min late\)$/),
    },
  ]);
  expect(await beginRuns(one, [beginRequest(inTime)])).toMatchObject([{ kind: 'begun' }]);
  // The late one must not be found by the other tests of this file.
  expect(await endLate(one)).toBe(1);
});

it('only the first start is bound: a retry after the deadline begins', async () => {
  const [run] = await queued('retry', [9 * MINUTE]);
  if (!run) throw new Error('no fixture');
  const [first] = await begun(one, [run]);
  if (!first) throw new Error('not begun');
  const verdict = {
    to: 'retrying',
    reason: 'failed',
    attemptOutcome: 'failed',
    lost: false,
    uncounted: false,
  } as const;
  await finishRuns(one, [finishRequest(first, { ...verdict, retryAt: first.dueAt })]);
  await one.pool.query(`UPDATE run SET start_by = now() - interval '1 s' WHERE id = $1`, [run.runId]);
  expect(await endLate(one)).toBe(0);
  expect(await beginRuns(one, [{ ...beginRequest(run), dispatch: 2 }])).toMatchObject([{ kind: 'begun' }]);
});

it('what nobody started in time is ended once, by whichever replica comes first, and says that no worker lived', async () => {
  const [run] = await queued('nobody', [30 * MINUTE]);
  const ended = await Promise.all([endLate(one), endLate(two)]);
  expect(ended.sort()).toEqual([0, 1]);
  expect(await rowOf(run?.runId)).toMatchObject({
    state: 'missed',
    reason:
      'not started within 10 min of its due time (now 30 min late): no worker of the pool "default" that may use the shell was alive',
  });
});

it('a worker that has been silent for the lease time counts as dead here as it does elsewhere', async () => {
  await writeHeartbeat(one, WORKER, { activeRuns: [], clockOffsetMs: 0 });
  const reasons: string[] = [];
  for (const silentMs of [DEAD_MS - 5000, DEAD_MS + 5000]) {
    await one.pool.query(`UPDATE process SET heartbeat_at = now() - $1 * interval '1 ms'`, [silentMs]);
    const [run] = await queued(`silent-${silentMs}`, [30 * MINUTE]);
    expect(await endLate(one)).toBe(1);
    reasons.push((await rowOf(run?.runId))?.reason);
  }
  expect(
    reasons.map((reason) => reason.endsWith(': no worker of the pool "default" that may use the shell was alive')),
  ).toEqual([false, true]);
});

it('a run behind a busy key names the run in its way; waiting ones are ended too', async () => {
  await writeHeartbeat(one, WORKER, { activeRuns: [], clockOffsetMs: 0 });
  const [holder, second, waiting] = await queued('behind', [9 * MINUTE, 8 * MINUTE, 7 * MINUTE]);
  if (!holder || !second || !waiting) throw new Error('no fixture');
  await begun(one, [holder]);
  await one.pool.query(`UPDATE run SET start_by = now() - interval '1 s' WHERE key = 'behind'`);
  await one.pool.query(`UPDATE run SET state = 'waiting', waiting_since = now() WHERE id = $1`, [waiting.runId]);
  expect(await endLate(one)).toBe(2);
  for (const { runId } of [second, waiting])
    expect(await rowOf(runId)).toMatchObject({
      state: 'missed',
      blocked_by: holder.runId,
      reason: expect.stringContaining(`the key "behind" was held by run ${holder.runId}`),
    });
  expect(await rowOf(holder.runId)).toMatchObject({ state: 'running' });
});

it('a task without a start deadline waits as long as it takes', async () => {
  const taskId = await makeTask(one, { name: 'patient' });
  await queueRuns(one, [{ taskId, key: 'patient', ageMs: 50 * MINUTE }]);
  expect(await endLate(one)).toBe(0);
});
