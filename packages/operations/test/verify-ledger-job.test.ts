import { DAY, HOUR, type LedgerVerification, MINUTE } from '@escapement/core';
import { keepProgress, listRequests, pingDatabase, readAuditLog, takeRequests } from '@escapement/store';
import { by } from '@escapement/testkit';
import { testFleet } from '@escapement/testkit/fleet';
import { beforeEach, expect, test } from 'vitest';
import {
  askLedgerVerification,
  type LedgerFinding,
  requireRequest,
  requireVerification,
  saveTask,
  unseenByVerification,
  type VerificationAsked,
  verifyLedger,
} from '../src/index.ts';

const fleet = await testFleet();
const { db } = fleet;
const ANN = by('ann', 'an outage');
const handler = { type: 'shell', command: 'true' } as const;

for (const name of ['whole', 'gapped']) {
  await saveTask(db, { name, handler, schedule: { kind: 'every', everyMs: 10 * MINUTE } }, { source: 'test', by: ANN });
  await db.pool.query(
    `UPDATE task_version v SET effective_at = now() - interval '4 hours' FROM task t WHERE t.id = v.task_id AND t.name = $1`,
    [name],
  );
  await db.pool.query(
    `WITH t AS (UPDATE task SET effective_at = now() - interval '4 hours' WHERE name = $1 RETURNING id)
     UPDATE task_plan SET plan_seq = plan_seq + 1,
       next_run_at = to_timestamp((floor(extract(epoch FROM now() - interval '4 hours') / 600) + 1) * 600) FROM t WHERE task_id = t.id`,
    [name],
  );
}
await fleet.planner.runOnce();
await db.pool.query(`DELETE FROM run r USING task t WHERE t.id = r.task_id AND t.name = 'gapped'`);
const { now } = await pingDatabase(db);
const range = { from: new Date(now.getTime() - 3.5 * HOUR), to: now };

beforeEach(async () => void (await db.pool.query('DELETE FROM request')));

const view = (id: string) => requireVerification(db, id, now);

async function verified(asked: VerificationAsked, jobs = fleet.jobs): Promise<LedgerVerification> {
  const id = await askLedgerVerification(db, asked, ANN);
  for (let pass = 0; pass < 20; pass++) {
    await jobs.runOnce();
    const { status } = await view(id);
    if (status.state === 'done') return status.result;
  }
  throw new Error('it has no end');
}

test('a verification that goes piece by piece finds what one in one go finds', async () => {
  const findings: LedgerFinding[] = [];
  const from = new Date(range.from.getTime() - 1);
  const at = { from, to: new Date(now.getTime() - 10_000) };
  const summary = await verifyLedger(db, { ...at, onFinding: (finding) => void findings.push(finding) });
  const found = await verified({ ...range, to: at.to });
  const { tasks, expected, gaps } = summary;
  expect(found).toMatchObject({ tasks, expected, rows: summary.rows, findings: summary.findings, gaps });
  const missing = found.named.filter(({ kind }) => kind === 'missing');
  expect(missing.map(({ scheduledFor }) => scheduledFor)).toEqual(
    findings.filter(({ kind }) => kind === 'missing').map(({ scheduledFor }) => scheduledFor.toISOString()),
  );
  expect(missing.length).toBeGreaterThan(5);
  // Gaps are named before what is late.
  expect(found.named.slice(0, found.gaps).every(({ kind }) => kind === 'missing')).toBe(true);
});

test('what no comparison can find is told at the end, if it was noticed in that time', async () => {
  expect((await verified({ ...range, task: 'whole' })).unseen).toBeNull();
  const noticed = `INSERT INTO queue_watch (namespace, marker, server, moved_at, moved_how) VALUES ($1, 'm', 's', $2, 'tables')
    ON CONFLICT (namespace) DO UPDATE SET moved_at = $2, moved_how = 'tables'`;
  await db.pool.query('DELETE FROM request');
  await db.pool.query(noticed, [db.namespace, new Date(now.getTime() - HOUR)]);
  const unseen = await unseenByVerification(db, { from: range.from, to: range.to });
  expect(unseen).toContain('no comparison finds');
  expect((await verified({ ...range, task: 'whole' })).unseen).toBe(unseen);
  await db.pool.query('DELETE FROM request');
  await db.pool.query(noticed, [db.namespace, new Date(now.getTime() - DAY)]);
  expect((await verified({ ...range, task: 'whole' })).unseen).toBeNull();
});

test('of one task only, and of labels', async () => {
  expect(await verified({ ...range, task: 'whole' })).toMatchObject({ tasks: 1, gaps: 0 });
  await expect(askLedgerVerification(db, { ...range, task: 'nobody' }, ANN)).rejects.toMatchObject({
    code: 'unknown_task',
  });
});

test('it is told how far it is; whoever takes over from a dead scheduler goes on there', async () => {
  const id = await askLedgerVerification(db, range, ANN);
  expect((await view(id)).status).toEqual({ state: 'waiting' });
  await fleet.jobs.runOnce();
  const first = (await view(id)).status;
  if (first.state !== 'running') throw new Error('not running');
  const reached = Date.parse(first.progress.verifiedTo);
  expect(reached).toBe(range.from.getTime() - 1 + HOUR);
  // One takes the next piece and dies.
  const [taken] = await takeRequests(db, { taker: 'dies', goneMs: 0, chunkGoneMs: MINUTE, limit: 1, jobs: true });
  expect(taken?.id).toBe(id);
  await fleet.jobs.runOnce();
  expect((await view(id)).status).toEqual(first);
  await db.pool.query(`UPDATE request SET taken_at = taken_at - interval '20 s'`);
  for (let pass = 0; pass < 5; pass++) await fleet.jobs.runOnce();
  const { status } = await view(id);
  expect(status).toMatchObject({ state: 'done', result: { tasks: 2 } });
  // What it does after that counts for nothing.
  expect(await keepProgress(db, { id, taker: 'dies', progress: {}, release: true })).toBe(false);
});

test('one at a time, within its bounds; it is in the audit, and no bulk action', async () => {
  const id = await askLedgerVerification(db, range, ANN);
  await expect(askLedgerVerification(db, range, ANN)).rejects.toMatchObject({
    code: 'verification_runs',
    message: `the ledger is being verified: ${id}`,
  });
  await fleet.requests.runOnce();
  expect((await view(id)).status).toEqual({ state: 'waiting' });
  expect(await listRequests(db, 10)).toEqual([]);
  await expect(requireRequest(db, id)).rejects.toMatchObject({ code: 'unknown_request' });
  const entries = await readAuditLog(db, { principal: 'ann', limit: 100 });
  expect(entries.at(-1)).toMatchObject({ action: 'ask', reason: 'an outage', detail: { kind: 'verify_ledger' } });
  await db.pool.query('DELETE FROM request');
  const wrong = [
    { from: now, to: new Date(now.getTime() - HOUR) },
    { from: new Date(now.getTime() - 32 * DAY), to: now },
    { from: new Date(now.getTime() - 5000), to: now },
  ];
  for (const each of wrong)
    await expect(askLedgerVerification(db, each, ANN)).rejects.toMatchObject({ code: 'bad_range' });
});
