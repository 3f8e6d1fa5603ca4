import { MINUTE, SECOND } from '@escapement/core';
import { deleteTask, type LedgerFinding, pauseTask, saveTask, verifyLedger } from '@escapement/operations';
import { findTask, findTaskChange, pingDatabase } from '@escapement/store';
import { by } from '@escapement/testkit';
import { halfway, testFleet } from '@escapement/testkit/fleet';
import { expect, it } from 'vitest';
import { createChanger } from '../src/index.ts';

const fleet = await testFleet();
const { db } = fleet;
const changer = createChanger({
  db: fleet.as.scheduler,
  emit: (event) => fleet.events.push(event),
  onError: () => undefined,
});
const who = { source: 'test', by: by('ann') };
const shell = { type: 'shell', command: 'true' } as const;

async function inDatabase(ms: number): Promise<Date> {
  return new Date((await pingDatabase(db)).now.getTime() + ms);
}

it('counts from the very instant asked for: the old definition up to it, the new one from then on', async () => {
  const now = await inDatabase(0);
  const anchor = new Date(now.getTime() - MINUTE).toISOString();
  await saveTask(db, { name: 'exact', handler: shell, schedule: { kind: 'every', everyMs: SECOND, anchor } }, who);
  const effectiveAt = new Date(Date.parse(anchor) + MINUTE + 4 * SECOND);
  const slower = { name: 'exact', handler: shell, schedule: { kind: 'every', everyMs: 2 * SECOND, anchor } } as const;
  const saved = await saveTask(db, slower, { ...who, effectiveAt });
  expect(saved).toEqual({ kind: 'scheduled', effectiveAt });
  await changer.runOnce();
  expect(await findTaskChange(db, 'exact')).toBeNull();
  await fleet.planner.runOnce();
  const due = (await fleet.runs('exact')).filter(({ state }) => state === 'queued');
  const offsets = due.map(({ scheduled_for }) => (scheduled_for.getTime() - effectiveAt.getTime()) / SECOND);
  expect(offsets.filter((offset) => offset < 0).slice(-3)).toEqual([-3, -2, -1]);
  expect(offsets.filter((offset) => offset >= 0).slice(0, 3)).toEqual([0, 2, 4]);
});

it('keeps what is not due yet, and the last one asked for', async () => {
  await saveTask(db, { name: 'later', handler: shell }, who);
  const effectiveAt = await inDatabase(MINUTE);
  for (const timeoutMs of [1000, 2000])
    await saveTask(db, { name: 'later', handler: shell, timeoutMs }, { ...who, effectiveAt });
  await changer.runOnce();
  expect((await findTask(db, 'later'))?.version).toBe(1);
  expect(await findTaskChange(db, 'later')).toMatchObject({ definition: { timeoutMs: 2000 }, effectiveAt });
});

it('accounts for everything by the old definition where no scheduler was there at that instant', async () => {
  const everyMinute = { kind: 'every', everyMs: MINUTE } as const;
  await saveTask(db, { name: 'missed', handler: shell, schedule: everyMinute }, who);
  const now = await inDatabase(0);
  const from = new Date(Math.floor(now.getTime() / MINUTE) * MINUTE - 5 * MINUTE);
  await db.pool.query(
    `UPDATE task_plan SET next_run_at = $1, plan_seq = plan_seq + 1 WHERE task_id IN (SELECT id FROM task WHERE name = 'missed')`,
    [new Date(from.getTime() - 5 * MINUTE).toISOString()],
  );
  await db.pool.query(
    `UPDATE task_version v SET effective_at = $1 FROM task t WHERE t.id = v.task_id AND t.name = 'missed'`,
    [new Date(from.getTime() - 5 * MINUTE).toISOString()],
  );
  const change = { name: 'missed', handler: shell, schedule: { kind: 'every', everyMs: 2 * MINUTE } } as const;
  await saveTask(db, change, { ...who, effectiveAt: await inDatabase(MINUTE) });
  await db.pool.query(`UPDATE task_change SET effective_at = $1 WHERE name = 'missed'`, [from.toISOString()]);
  await changer.runOnce();
  await fleet.planner.runOnce();
  const findings: LedgerFinding[] = [];
  const window = { from: new Date(from.getTime() - 6 * MINUTE), to: now };
  await verifyLedger(db, { ...window, task: 'missed', onFinding: (finding) => findings.push(finding) });
  expect(findings.filter(({ kind }) => kind !== 'not_started')).toEqual([]);
});

it('refuses an instant that has passed, and says why a change could not be carried out', async () => {
  const task = { name: 'refused', handler: shell };
  await saveTask(db, task, who);
  const past = await inDatabase(-1);
  await expect(saveTask(db, task, { ...who, effectiveAt: past })).rejects.toMatchObject({ code: 'bad_effective' });
  await saveTask(db, { ...task, limit: 2 }, { ...who, effectiveAt: await inDatabase(4000) });
  await saveTask(db, { name: 'other', handler: shell, key: 'refused' }, who);
  await changer.runOnce();
  expect(await findTaskChange(db, 'refused')).toMatchObject({ error: expect.stringContaining('limit') });
  expect(fleet.events.at(-1)).toMatchObject({ event: 'task_change_failed', task: 'refused' });
});

it('takes nothing back of what others have changed meanwhile, and says so', async () => {
  const task = { name: 'moved', handler: shell };
  await saveTask(db, task, who);
  await saveTask(db, { ...task, timeoutMs: 1000 }, { ...who, effectiveAt: await inDatabase(4000) });
  await saveTask(db, { ...task, limit: 2 }, who);
  await saveTask(db, { name: 'made', handler: shell }, { ...who, effectiveAt: await inDatabase(4000) });
  await saveTask(db, { name: 'made', handler: shell, limit: 3 }, who);
  await changer.runOnce();
  expect(await findTask(db, 'moved')).toMatchObject({ version: 2, definition: { limit: 2 } });
  expect(await findTaskChange(db, 'moved')).toMatchObject({
    error: 'task moved has version 2 by now; the change was given for version 1',
  });
  expect(await findTask(db, 'made')).toMatchObject({ version: 1, definition: { limit: 3 } });
  expect((await findTaskChange(db, 'made'))?.error).toContain('was given when there was none');
});

it('is carried out where a scheduler has saved it and died, and where an older version has kept it', async () => {
  const task = { name: 'saved', handler: shell };
  await saveTask(db, task, who);
  const effectiveAt = await inDatabase(4000);
  await saveTask(db, { ...task, timeoutMs: 1000 }, { ...who, effectiveAt });
  await saveTask(db, { ...task, timeoutMs: 1000 }, who);
  await changer.runOnce();
  expect(await findTaskChange(db, 'saved')).toBeNull();
  await saveTask(db, { ...task, timeoutMs: 2000 }, { ...who, effectiveAt });
  await db.pool.query(`UPDATE task_change SET based_on = NULL WHERE name = 'saved'`);
  await saveTask(db, { ...task, timeoutMs: 1500 }, who);
  await changer.runOnce();
  expect(await findTask(db, 'saved')).toMatchObject({ definition: { timeoutMs: 2000 } });
});

it('suggests the nearest key for a mistyped one', async () => {
  const bad = { name: 'typo', handler: shell, timoutMs: 5 };
  await expect(saveTask(db, bad, who)).rejects.toThrow('unknown key "timoutMs", did you mean timeoutMs?');
});

it('is forgotten with its task, also where it was saved ahead of its time', async () => {
  await saveTask(db, { name: 'gone', handler: shell }, who);
  await saveTask(
    db,
    { name: 'gone', handler: shell, timeoutMs: 1000 },
    { ...who, effectiveAt: await inDatabase(4 * SECOND) },
  );
  await changer.runOnce();
  expect((await findTask(db, 'gone'))?.version).toBe(2);
  await saveTask(
    db,
    { name: 'gone', handler: shell, timeoutMs: 2000 },
    { ...who, effectiveAt: await inDatabase(MINUTE) },
  );
  await deleteTask(db, 'gone', who.by);
  expect(await findTaskChange(db, 'gone')).toBeNull();
  expect(await findTask(db, 'gone')).toBeNull();
});

it('of a paused task waits for its instant: what falls into the pause until then has its rows', async () => {
  await saveTask(db, { name: 'resting', handler: shell, schedule: { kind: 'every', everyMs: SECOND } }, who);
  await pauseTask(db, 'resting', null, who.by);
  await saveTask(db, { name: 'resting', handler: shell }, { ...who, effectiveAt: await inDatabase(4 * SECOND) });
  await changer.runOnce();
  expect((await findTask(db, 'resting'))?.version).toBe(1);
});

it('what was due before its task was deleted has its rows', async () => {
  await saveTask(db, { name: 'dense', handler: shell, schedule: halfway(MINUTE) }, who);
  const task = await findTask(db, 'dense');
  const before = new Date((task?.nextRunAt?.getTime() ?? 0) - 2 * MINUTE);
  await db.pool.query(
    `UPDATE task_plan SET next_run_at = $1, plan_seq = plan_seq + 1 WHERE task_id IN (SELECT id FROM task WHERE name = 'dense')`,
    [before],
  );
  await deleteTask(db, 'dense', who.by);
  expect((await fleet.runs('dense')).reduce((sum, { occurrences }) => sum + occurrences, 0)).toBe(2);
});
