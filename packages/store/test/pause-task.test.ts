import { randomUUID } from 'node:crypto';
import { by } from '@escapement/testkit';
import { afterAll, expect, it } from 'vitest';
import { countPauses, findTask, pausedTasks, pauseTask, resumeTask } from '../src/index.ts';
import { ago, MINUTE, makeTask, stateOf, twoProcesses } from './ledger.ts';

const processes = await twoProcesses();
const { one } = processes;
const other = { ...one, namespace: 'other' };
afterAll(() => processes.close());

const ANN = by('ann', 'maintenance');
const pause = (name: string, untilAt: Date | null = null, pauseId?: string, db = one) =>
  pauseTask(db, { name, untilAt, by: ANN, pauseId });

async function pausesOf(taskId: string) {
  const { rows } = await one.pool.query(
    `SELECT until_at, until_at <= now() AS over, until_at = from_at AS empty, note, created_by FROM task_pause WHERE task_id = $1 ORDER BY created_at`,
    [taskId],
  );
  return rows;
}

/** A pause from so long on, relative to now; `runId`: that a run has decided. */
async function addPause(taskId: string, from: string, until: string | null, runId: string | null = null) {
  const id = randomUUID();
  await one.pool.query(
    `INSERT INTO task_pause (id, task_id, from_at, until_at, run_id, created_by)
     VALUES ($1, $2, now() + $3::interval, now() + $4::interval, $5, 'bob')`,
    [id, taskId, from, until, runId],
  );
  return id;
}

const deleteTask = (id: string) => one.pool.query('UPDATE task SET deleted_at = now() WHERE id = $1', [id]);

interface Chained {
  at: Date;
  origin?: string;
  ordinal?: number;
  attempt?: number;
  state?: string;
}

/** The run that an earlier one has decided to be the next of its task, if nothing else is said. */
async function chained(taskId: string, run: Chained): Promise<string> {
  const { at, origin = 'chain', ordinal = -1, attempt = 0, state = 'planned' } = run;
  const id = randomUUID();
  await one.pool.query(
    `INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, ordinal, state, attempt, key, key_limit,
       overlap, pool, due_at)
     SELECT $2, $3::timestamptz, t.namespace, t.id, t.version, t.plan_epoch, $4, $5, $6, $7, t.name, 1, t.overlap, t.pool, $3::timestamptz
     FROM task t WHERE t.id = $1`,
    [taskId, id, at.toISOString(), origin, ordinal, state, attempt],
  );
  return id;
}

const audited = async (name: string) => {
  const { rows } = await one.pool.query(
    `SELECT action FROM audit WHERE subject = $1 AND action <> 'save' ORDER BY id`,
    [`task:${name}`],
  );
  return rows.map(({ action }) => action);
};

it('a task is paused until an instant, or until it is resumed', async () => {
  const [ends, lasts] = [await makeTask(one, { name: 'ends' }), await makeTask(one, { name: 'lasts' })];
  const untilAt = ago(-60 * MINUTE);
  expect(await pause('ends', untilAt)).toBe(true);
  expect(await pause('lasts')).toBe(true);
  const said = { note: 'maintenance', created_by: 'ann', empty: false };
  expect(await pausesOf(ends)).toEqual([{ ...said, until_at: untilAt, over: false }]);
  expect(await pausesOf(lasts)).toEqual([{ ...said, until_at: null, over: null, empty: null }]);
  expect(await audited('ends')).toEqual(['pause']);
});

it('a pause whose end has passed is empty', async () => {
  const id = await makeTask(one, { name: 'late' });
  expect(await pause('late', ago(5 * MINUTE))).toBe(true);
  expect(await pausesOf(id)).toMatchObject([{ over: true, empty: true }]);
});

it('a pause that is repeated with its id is one pause', async () => {
  const id = await makeTask(one, { name: 'repeated' });
  const pauseId = randomUUID();
  expect(await pause('repeated', null, pauseId)).toBe(true);
  expect(await pause('repeated', null, pauseId)).toBe(false);
  expect(await pausesOf(id)).toHaveLength(1);
  expect(await pause('repeated')).toBe(true);
  expect(await pausesOf(id)).toHaveLength(2);
});

it('nothing is paused or resumed where there is no such task in the namespace', async () => {
  const id = await makeTask(one, { name: 'gone' });
  expect(await pause('gone', null, undefined, other)).toBe(false);
  expect(await resumeTask(other, 'gone', ANN)).toBeNull();
  expect(await pause('nobody')).toBe(false);
  expect(await resumeTask(one, 'nobody', ANN)).toBeNull();
  await deleteTask(id);
  expect(await pause('gone')).toBe(false);
  expect(await resumeTask(one, 'gone', ANN)).toBeNull();
  expect(await pausesOf(id)).toEqual([]);
});

const LATER = ago(-30 * MINUTE);

it.each<[string, Chained, string]>([
  ['that a run has decided', { at: LATER }, 'skipped'],
  ['that is queued', { at: LATER, state: 'queued' }, 'skipped'],
  ['after the pause', { at: ago(-120 * MINUTE) }, 'planned'],
  ['whose instant has passed', { at: ago(MINUTE) }, 'planned'],
  ['of the schedule', { at: LATER, origin: 'schedule' }, 'planned'],
  ['that follows another', { at: LATER, ordinal: 1 }, 'planned'],
  ['that is tried again', { at: LATER, attempt: 1 }, 'planned'],
  ['that is held', { at: LATER, state: 'held' }, 'held'],
])(
  'of the runs of a paused task, that is skipped which a run has decided and which has not begun: one %s',
  async (why, run, state) => {
    const name = why.replaceAll(' ', '-');
    const taskId = await makeTask(one, { name });
    const id = await chained(taskId, run);
    await pause(name, ago(-60 * MINUTE));
    expect(await stateOf(one, id)).toBe(state);
  },
);

it('a run at the very end of a pause is not skipped', async () => {
  const id = await chained(await makeTask(one, { name: 'at-the-end' }), { at: LATER });
  await pause('at-the-end', LATER);
  expect(await stateOf(one, id)).toBe('planned');
  await pause('at-the-end', new Date(LATER.getTime() + 1));
  expect(await stateOf(one, id)).toBe('skipped');
});

it('a pause without an end skips what a run has decided, of no other task', async () => {
  const id = await chained(await makeTask(one, { name: 'for-ever' }), { at: LATER });
  const beside = await chained(await makeTask(one, { name: 'for-ever-beside' }), { at: LATER });
  await pause('for-ever');
  expect([await stateOf(one, id), await stateOf(one, beside)]).toEqual(['skipped', 'planned']);
});

it('resuming ends the pauses of the task that have not ended', async () => {
  const id = await makeTask(one, { name: 'resumed' });
  const beside = await makeTask(one, { name: 'resumed-beside' });
  await addPause(id, '-2 h', '-1 h');
  await addPause(id, '-1 h', '1 h');
  await addPause(id, '-30 min', null);
  await addPause(id, '1 h', '2 h');
  await addPause(beside, '-1 h', null);
  const [over] = await pausesOf(id);
  expect(await resumeTask(one, 'resumed', ANN)).toBe(3);
  const after = await pausesOf(id);
  expect(after[0]).toEqual(over);
  // One that had not begun is empty.
  expect(after.filter(({ over, empty }) => over || empty)).toHaveLength(4);
  expect((await findTask(one, 'resumed-beside'))?.pauses).toHaveLength(1);
  expect(await audited('resumed')).toEqual(['resume']);
});

it('a task that is not paused is resumed without an entry of the audit', async () => {
  await makeTask(one, { name: 'not-paused' });
  expect(await resumeTask(one, 'not-paused', ANN)).toBe(0);
  expect(await audited('not-paused')).toEqual([]);
});

it('resuming forgets what a run has decided about the next one, and only then', async () => {
  const [resting, paused] = [await makeTask(one, { name: 'resting' }), await makeTask(one, { name: 'by-a-person' })];
  const [next, another] = [await chained(resting, { at: LATER }), await chained(paused, { at: LATER })];
  await addPause(resting, '-1 h', '31 min', randomUUID());
  await addPause(resting, '-1 h', null, randomUUID());
  await addPause(paused, '-1 h', '10 min');
  expect(await resumeTask(one, 'resting', ANN)).toBe(2);
  expect(await resumeTask(one, 'by-a-person', ANN)).toBe(1);
  expect([await stateOf(one, next), await stateOf(one, another)]).toEqual(['superseded', 'planned']);
  expect((await findTask(one, 'resting'))?.pauses).toEqual([]);
});

it('pauses are counted by their ids, in the namespace', async () => {
  const id = await makeTask(one, { name: 'counted' });
  const [first, second] = [await addPause(id, '-1 h', '1 h'), await addPause(id, '-2 h', '-1 h')];
  await addPause(id, '-3 h', '-2 h');
  expect(await countPauses(one, [first, second, randomUUID()])).toBe(2);
  expect(await countPauses(one, [])).toBe(0);
  expect(await countPauses(other, [first, second])).toBe(0);
});

it('those of the named tasks are told that are paused now or later', async () => {
  const names = ['is', 'is-for-ever', 'will-be', 'was', 'never', 'deleted'].map((name) => `told-${name}`);
  const pauses: Record<string, [string, string | null]> = {
    'told-is': ['-1 h', '1 h'],
    'told-is-for-ever': ['-1 h', null],
    'told-will-be': ['1 h', '2 h'],
    'told-was': ['-2 h', '-1 h'],
    'told-deleted': ['-1 h', null],
  };
  for (const name of [...names, 'told-unasked']) {
    const id = await makeTask(one, { name });
    const [from, until] = pauses[name] ?? [];
    if (from) await addPause(id, from, until ?? null);
    if (name === 'told-deleted') await deleteTask(id);
    if (name === 'told-unasked') await addPause(id, '-1 h', null);
  }
  expect(await pausedTasks(one, names)).toEqual(new Set(['told-is', 'told-is-for-ever', 'told-will-be']));
  expect(await pausedTasks(other, names)).toEqual(new Set());
});
