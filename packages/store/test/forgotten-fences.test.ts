import { afterAll, describe, expect, it } from 'vitest';
import { type Database, finishRuns } from '../src/index.ts';
import { begun, finishRequest, MINUTE, makeTask, type QueuedFixture, queueRuns, twoProcesses } from './ledger.ts';

const processes = await twoProcesses();
const db: Database = processes.one;
afterAll(() => processes.close());

async function startOf(run: QueuedFixture | undefined): Promise<bigint> {
  const [mine] = run ? await begun(db, [run]) : [];
  if (!mine) throw new Error('not begun');
  await finishRuns(db, [finishRequest(mine)]);
  return mine.fence;
}

async function queued(key: string, overlap: 'wait-all' | 'allow' = 'wait-all') {
  const taskId = await makeTask(db, { name: key, overlap: { policy: overlap } });
  return await queueRuns(
    db,
    [3, 2, 1].map((age) => ({ taskId, key, ageMs: age * MINUTE })),
  );
}

describe('a ledger that has forgotten starts gives none of their fences again', () => {
  it('where it has the slot as it was before them', async () => {
    const [first, second, third] = await queued('slot-went-back');
    const before = await startOf(first);
    const given = await startOf(second);
    await db.pool.query(`UPDATE key_slot SET fence = $1 WHERE key = 'slot-went-back'`, [before.toString()]);
    expect(await startOf(third)).toBeGreaterThan(given);
  });

  it('where the slot was younger than the copy', async () => {
    const [first, second] = await queued('slot-gone');
    const given = await startOf(first);
    await db.pool.query(`DELETE FROM key_slot WHERE key = 'slot-gone'`);
    expect(await startOf(second)).toBeGreaterThan(given);
  });

  it('where a run has no slot: each attempt of it has a higher one', async () => {
    const [run] = await queued('no-slot', 'allow');
    const [first] = run ? await begun(db, [run]) : [];
    if (!run || !first) throw new Error('not begun');
    await db.pool.query(
      `UPDATE run SET state = 'queued', attempt = 0, begin_id = NULL, worker = NULL, started_at = NULL, fence = NULL WHERE id = $1`,
      [run.runId],
    );
    const [again] = await begun(db, [run]);
    expect(again?.fence).toBeGreaterThan(first.fence);
  });
});

it('a slot whose clock went back still gives a higher fence with each start', async () => {
  const [first, second] = await queued('clock-went-back');
  await startOf(first);
  const ahead = 9_000_000_000_000_000n;
  await db.pool.query(`UPDATE key_slot SET fence = $1 WHERE key = 'clock-went-back'`, [ahead.toString()]);
  expect(await startOf(second)).toBe(ahead + 1n);
});
