import {
  HOUR,
  newRunId,
  quantileOf,
  type RunState,
  seededRandom,
  TERMINAL_STATES,
  type Verdict,
} from '@escapement/core';
import { by } from '@escapement/testkit';
import fc from 'fast-check';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import {
  finishRuns,
  hourlyOutcomes,
  noteStaleHours,
  requestCancel,
  rollUpHours,
  rollUpStale,
  taskOutcomes,
  taskStats,
  usualDurations,
  wrongRollUps,
} from '../src/index.ts';
import { ago, begun, finishRequest, makeTask, queueRuns, SUCCEEDED, twoProcesses } from './ledger.ts';

const processes = await twoProcesses();
const { one: db, two } = processes;
afterAll(() => processes.close());

const FAILED: Verdict = { to: 'failed', reason: 'exit code 3', lost: false, uncounted: false };
const SKIPPED: Verdict = { to: 'skipped', reason: 'nothing to do', lost: false, uncounted: false };
const PIECE = 500;

/** The start of the hour that was the present one so many hours ago. */
const hourAgo = (hours: number): Date => new Date(Math.floor(ago(hours * HOUR).getTime() / HOUR) * HOUR);

/** Roll-ups begin so many hours ago. */
const beginAgo = (hours: number) =>
  db.pool.query(
    `INSERT INTO roll_up (namespace, rolled_until) VALUES ($1, $2)
     ON CONFLICT (namespace) DO UPDATE SET rolled_until = $2, after_task = NULL, closed_hour = NULL, closed_by = NULL`,
    [db.namespace, hourAgo(hours).toISOString()],
  );

/** Until all that is over is rolled up. */
async function rollUp(): Promise<void> {
  for (;;) {
    const notes = await rollUpStale(db, PIECE);
    const answer = await rollUpHours(db, PIECE);
    if (answer === 'done' && notes < PIECE) return;
  }
}

interface Row {
  state: RunState;
  atMs: number;
  tookMs?: number;
  lateMs?: number;
  occurrences?: number;
  reason?: string;
}

/** A row of the ledger that has ended, as it stands afterwards. */
async function insertEnded(taskId: string, row: Row, link: { query: typeof db.pool.query } = db.pool): Promise<void> {
  const { state, atMs, tookMs = 1000, lateMs = 0, occurrences = 1, reason = 'as it was' } = row;
  const at = new Date(atMs);
  const ran = !['skipped', 'missed', 'superseded', 'cancelled'].includes(state);
  await link.query(
    `INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, reason, key, key_limit, overlap, pool, due_at,
       attempt, worker, fence, started_at, finished_at, occurrences, until_at, watched)
     VALUES ($1, $2, $3, $4, 1, 1, 'trigger', $5, $6, 'k', 1, 'allow', 'default', $2, $7, 'w', 1, CASE WHEN $7 > 0 THEN $8::timestamptz END, $9, $10,
       CASE WHEN $10 > 1 THEN $2::timestamptz END, false)`,
    [
      ...[newRunId(at), at.toISOString(), db.namespace, taskId, state, reason, ran ? 1 : 0],
      ...[
        new Date(atMs + lateMs).toISOString(),
        new Date(atMs + lateMs + (ran ? tookMs : 0)).toISOString(),
        occurrences,
      ],
    ],
  );
}

async function hoursOf(taskId: string) {
  const { rows } = await db.pool.query<
    { hour: Date; runs: number; took: Record<string, number> } & Record<string, number>
  >('SELECT * FROM task_hour WHERE task_id = $1 ORDER BY hour', [taskId]);
  return rows;
}

const wrong = (taskIds: readonly string[], hours = 24) =>
  wrongRollUps(db, { taskIds, from: ago(hours * HOUR), to: ago(0) });

let named = 0;
const newTask = (input = {}) => makeTask(db, { name: `roll-up-${named++}`, ...input });

describe('hours that are over', () => {
  beforeEach(async () => {
    await beginAgo(4);
  });

  it('are rolled up from the ledger, by the hour that runs were due in', async () => {
    const taskId = await newTask();
    const [first, second] = [hourAgo(3).getTime(), hourAgo(2).getTime()];
    await insertEnded(taskId, { state: 'succeeded', atMs: first, tookMs: 2000, lateMs: 40 });
    await insertEnded(taskId, { state: 'succeeded', atMs: first + HOUR - 10_000, tookMs: 2000 });
    await insertEnded(taskId, { state: 'failed', atMs: first + 1 });
    await insertEnded(taskId, { state: 'succeeded', atMs: first + 2, reason: 'resolved as succeeded by ann' });
    await insertEnded(taskId, { state: 'missed', atMs: first + 3, occurrences: 7 });
    await insertEnded(taskId, { state: 'timed_out', atMs: second });
    await rollUp();
    const [one, other, ...more] = await hoursOf(taskId);
    expect(more).toEqual([]);
    expect(one).toMatchObject({
      hour: new Date(first),
      runs: 5,
      started: 4,
      succeeded: 3,
      failed: 1,
      missed: 7,
      skipped: 0,
    });
    expect(other).toMatchObject({ hour: new Date(second), runs: 1, started: 1, timed_out: 1 });
    // Two took 2 s and one 1 s; how long a run took whose end a person told, nobody knows.
    expect(Object.values(one?.took ?? {}).toSorted()).toEqual([1, 2]);
    expect(quantileOf(one?.took ?? {}, 0.95)).toBeCloseTo(2000, -2);
    expect((await usualDurations(db, [taskId], 1)).get(taskId)).toMatchObject({
      runs: 4,
      p95Ms: quantileOf(one?.took ?? {}, 0.95),
    });
    expect(await wrong([taskId])).toEqual([]);
  });

  it('begin with the hour of the first task, where nothing was rolled up before', async () => {
    const taskId = await newTask();
    await db.pool.query(`UPDATE task SET created_at = now() - interval '5 h' WHERE id = $1`, [taskId]);
    await insertEnded(taskId, { state: 'failed', atMs: hourAgo(4).getTime() });
    await db.pool.query('DELETE FROM roll_up');
    await rollUp();
    expect(await hoursOf(taskId)).toMatchObject([{ failed: 1 }]);
  });

  it('wait for a transaction that may still write an end into the hour', async () => {
    const taskId = await newTask();
    const link = await two.pool.connect();
    await link.query('BEGIN');
    await insertEnded(taskId, { state: 'failed', atMs: hourAgo(3).getTime() }, link);
    expect(await rollUpHours(db, PIECE)).toBe('waiting');
    expect(await rollUpHours(db, PIECE)).toBe('waiting');
    await link.query('COMMIT');
    link.release();
    await rollUp();
    expect(await hoursOf(taskId)).toMatchObject([{ failed: 1 }]);
  });

  it('do not wait for ever for a transaction of another server, after a restore', async () => {
    await db.pool.query(`UPDATE roll_up SET closed_hour = now(), closed_by = '999999999999'`);
    expect(await rollUpHours(db, PIECE)).toBe('waiting');
    // Ends: other databases of this server have transactions of their own, and each of them ends.
    await rollUp();
  });

  it('are rolled up in pieces, and by one at a time', async () => {
    const taskIds = [await newTask(), await newTask(), await newTask()];
    for (const taskId of taskIds) await insertEnded(taskId, { state: 'failed', atMs: hourAgo(3).getTime() });
    // It waits for transactions of the whole server, those of other tests as well.
    while (!(await Promise.all([rollUpHours(db, 2), rollUpHours(two, 2)])).includes('done'));
    for (const taskId of taskIds) expect(await hoursOf(taskId)).toMatchObject([{ failed: 1 }]);
  });
});

describe('an end that comes late', () => {
  const ENDS: Record<string, (run: Awaited<ReturnType<typeof begun>>[number]) => Promise<unknown>> = {
    'a success': (run) => finishRuns(db, [{ ...finishRequest(run, SUCCEEDED), countsFromEnd: false }]),
    'a failure': (run) => finishRuns(db, [finishRequest(run, FAILED)]),
    'a skip by its handler': (run) => finishRuns(db, [finishRequest(run, SKIPPED)]),
  };

  it.each(Object.keys(ENDS))('%s has its hour rolled up anew', async (kind) => {
    await beginAgo(4);
    const name = kind.replaceAll(' ', '-');
    const taskId = await makeTask(db, { name });
    const runs = await queueRuns(db, [{ taskId, key: name, ageMs: 2.5 * HOUR }]);
    const [run] = await begun(db, runs);
    if (!run) throw new Error('not begun');
    await rollUp();
    expect(await hoursOf(taskId)).toEqual([]);
    await ENDS[kind]?.(run);
    // Until it is done, the note says that the roll-up is behind: no alarm.
    expect(await wrong([taskId])).toEqual([]);
    expect(await rollUpStale(db, PIECE)).toBe(1);
    expect(await hoursOf(taskId)).toMatchObject([{ runs: 1, started: 1 }]);
    expect(await wrong([taskId])).toEqual([]);
  });

  it('a cancel of a run that never began has its hour rolled up anew', async () => {
    await beginAgo(4);
    const taskId = await makeTask(db, { name: 'late-cancel' });
    const [queued] = await queueRuns(db, [{ taskId, key: 'late-cancel', ageMs: 2.5 * HOUR }]);
    await rollUp();
    await requestCancel(db, queued?.runId ?? '', by('test'));
    await rollUp();
    expect(await hoursOf(taskId)).toMatchObject([{ runs: 1, started: 0, cancelled: 1 }]);
  });

  it('is left alone where older runs of the hour may be deleted: the ledger does not know all of it', async () => {
    const taskId = await newTask({ retentionDays: 1 });
    await noteStaleHours(db, [{ taskId, hour: hourAgo(30) }]);
    await insertEnded(taskId, { state: 'failed', atMs: hourAgo(30).getTime() });
    await rollUp();
    expect(await hoursOf(taskId)).toEqual([]);
    expect(await wrong([taskId], 72)).toEqual([]);
  });
});

describe('the comparison with the ledger', () => {
  it('finds each roll-up that is spoiled, and none that is not; what is noted is made anew', async () => {
    const random = seededRandom(11);
    const taskIds: string[] = [];
    await beginAgo(6);
    for (let task = 0; task < 12; task++) {
      const taskId = await newTask();
      taskIds.push(taskId);
      for (let run = 0; run < 25; run++)
        await insertEnded(taskId, {
          state: random.pick(TERMINAL_STATES),
          // Some end in a later hour.
          atMs: hourAgo(5).getTime() + random.next() * 4 * HOUR,
          tookMs: random.next() * HOUR * 0.9,
          occurrences: 1,
        });
    }
    await rollUp();
    expect(await wrong(taskIds)).toEqual([]);
    const spoilings = [
      ...[
        'runs',
        'started',
        'succeeded',
        'failed',
        'timed_out',
        'quarantined',
        'skipped',
        'missed',
        'superseded',
        'cancelled',
      ].map((column) => `UPDATE task_hour SET ${column} = ${column} + 1 WHERE task_id = $1 AND hour = $2`),
      `UPDATE task_hour SET took = took || '{"3": 4}' WHERE task_id = $1 AND hour = $2`,
      `UPDATE task_hour SET late = late || '{"3": 4}' WHERE task_id = $1 AND hour = $2`,
      'DELETE FROM task_hour WHERE task_id = $1 AND hour = $2',
    ];
    for (const spoiling of spoilings) {
      const taskId = random.pick(taskIds);
      const { hour } = random.pick(await hoursOf(taskId));
      await db.pool.query(spoiling, [taskId, hour.toISOString()]);
      const found = await wrong(taskIds);
      expect(found.map((each) => [each.taskId, each.hour])).toEqual([[taskId, hour]]);
      await noteStaleHours(db, found);
      await rollUp();
      expect(await wrong(taskIds)).toEqual([]);
    }
  });
});

it('what is to be rolled up anew is left out of the comparison, and nothing else', async () => {
  const [spoiled, noted] = [await newTask(), await newTask()];
  await beginAgo(4);
  await rollUp();
  for (const id of [spoiled, noted])
    await db.pool.query(`INSERT INTO task_hour SELECT $1, $2, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, '{}', '{}'`, [
      id,
      hourAgo(3).toISOString(),
    ]);
  await noteStaleHours(db, [{ taskId: noted, hour: hourAgo(3) }]);
  expect((await wrong([spoiled, noted])).map(({ taskId }) => taskId)).toEqual([spoiled]);
  await noteStaleHours(db, [{ taskId: spoiled, hour: hourAgo(3) }]);
  await rollUp();
});

it('a roll-up of an hour of which the ledger says nothing is found, and goes', async () => {
  const taskId = await newTask();
  await beginAgo(4);
  await rollUp();
  await db.pool.query(`INSERT INTO task_hour SELECT $1, $2, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, '{}', '{}'`, [
    taskId,
    hourAgo(3).toISOString(),
  ]);
  const found = await wrong([taskId]);
  expect(found).toMatchObject([{ taskId, hour: hourAgo(3), ledger: null }]);
  await noteStaleHours(db, found);
  await rollUp();
  expect(await hoursOf(taskId)).toEqual([]);
});

it('statistics are the same from roll-ups as from the ledger', async () => {
  const name = 'counted-twice';
  const taskId = await makeTask(db, { name });
  const random = seededRandom(5);
  const states: RunState[] = ['succeeded', 'failed', 'skipped', 'missed', 'cancelled'];
  for (let run = 0; run < 60; run++)
    await insertEnded(taskId, {
      state: random.pick(states),
      atMs: ago(random.next() * 5 * HOUR + HOUR).getTime(),
      tookMs: 5000,
    });
  await queueRuns(db, [{ taskId, key: name, ageMs: 3 * HOUR }]);
  for (const since of [ago(10 * HOUR), ago(4.3 * HOUR), ago(2 * HOUR)]) {
    await db.pool.query('DELETE FROM roll_up');
    const [byLedger] = await taskStats(db, { name, since });
    const days = { taskId, since, by: 'day', timeZone: 'Asia/Kolkata' } as const;
    const hours = { taskIds: [taskId], from: since, to: ago(0) };
    const byHour = async () => (await hourlyOutcomes(db, hours)).toSorted((one, other) => +one.hour - +other.hour);
    const outcomes = async () => [
      ...[await taskOutcomes(db, days), await taskOutcomes(db, { ...days, by: 'hour' })],
      // Of whole hours alone: those of the ledger begin within one otherwise.
      await byHour(),
    ];
    const outcomesByLedger = await outcomes();
    await beginAgo(8);
    await rollUp();
    expect(await taskStats(db, { name, since })).toEqual([byLedger]);
    expect(await outcomes()).toEqual(outcomesByLedger);
    expect(byLedger?.p50Ms).toBeCloseTo(5000, -3);
  }
});

it('outcomes are counted by hour, and by the days of a zone, from the beginning of the first', async () => {
  const taskId = await makeTask(db, { name: 'by-day' });
  const at = (text: string) => Date.parse(`${text}:00Z`);
  const rows: [RunState, string, number?][] = [
    ['succeeded', '2026-03-01T23:10'],
    ['failed', '2026-03-01T23:50'],
    ['missed', '2026-03-02T00:10', 7],
    ['timed_out', '2026-03-02T22:30'],
    ['skipped', '2026-03-02T22:40'],
  ];
  for (const [state, text, occurrences] of rows)
    await insertEnded(taskId, { state, atMs: at(text), tookMs: 1000, ...(occurrences ? { occurrences } : {}) });
  await db.pool.query('DELETE FROM roll_up');
  const asked = { taskId, since: new Date(at('2026-03-01T23:30')) };
  const nothing = { succeeded: 0, failed: 0, skipped: 0, missed: 0, cancelled: 0 };
  const second = expect.closeTo(1000, -2);
  const took = { p50Ms: second, p95Ms: second, p99Ms: second };
  const noTimes = { p50Ms: null, p95Ms: null, p99Ms: null };
  const piece = (from: string, to: string) => ({ ...nothing, from: new Date(at(from)), to: new Date(at(to)) });
  expect(await taskOutcomes(db, { ...asked, by: 'hour', timeZone: 'UTC' })).toEqual([
    { ...piece('2026-03-01T23:00', '2026-03-02T00:00'), ...took, succeeded: 1, failed: 1 },
    { ...piece('2026-03-02T00:00', '2026-03-02T01:00'), ...noTimes, missed: 7 },
    { ...piece('2026-03-02T22:00', '2026-03-02T23:00'), ...took, failed: 1, skipped: 1 },
  ]);
  expect(await taskOutcomes(db, { ...asked, by: 'day', timeZone: 'Europe/Berlin' })).toEqual([
    { ...piece('2026-03-01T23:00', '2026-03-02T23:00'), ...took, succeeded: 1, failed: 2, missed: 7, skipped: 1 },
  ]);
  // The clocks of Berlin go forward.
  await insertEnded(taskId, { state: 'succeeded', atMs: at('2026-03-29T10:00'), tookMs: 1000 });
  const later = { ...asked, since: new Date(at('2026-03-20T00:00')) };
  expect(await taskOutcomes(db, { ...later, by: 'day', timeZone: 'Europe/Berlin' })).toEqual([
    { ...piece('2026-03-28T23:00', '2026-03-29T22:00'), ...took, succeeded: 1 },
  ]);
});

it('a run that failed and never began has no duration, and statistics do not fail over it', async () => {
  const taskId = await makeTask(db, { name: 'never-begun' });
  await insertEnded(taskId, { state: 'failed', atMs: ago(1000).getTime() });
  await db.pool.query(`ALTER TABLE run DISABLE TRIGGER run_terminal_is_final`);
  await db.pool.query(`UPDATE run SET started_at = NULL WHERE task_id = $1`, [taskId]);
  await db.pool.query(`ALTER TABLE run ENABLE TRIGGER run_terminal_is_final`);
  expect(await taskStats(db, { name: 'never-begun', since: ago(HOUR) })).toMatchObject([{ failed: 1, p50Ms: null }]);
});

it('SQL and TypeScript mean the same by a bucket', async () => {
  const durations = fc.sample(fc.double({ min: 1, max: 30 * 24 * HOUR, noNaN: true }), { numRuns: 500, seed: 3 });
  const { rows } = await db.pool.query<{ ms: number; bucket: number }>(
    `SELECT ms, duration_bucket(ms * interval '1 ms') AS bucket FROM unnest($1::float8[]) AS t(ms)`,
    [durations],
  );
  for (const { ms, bucket } of rows)
    expect(Math.abs((quantileOf({ [bucket]: 1 }, 1) ?? 0) - ms) / ms).toBeLessThan(0.051);
  const { rows: short } = await db.pool.query(`SELECT duration_bucket('0.4 ms') AS a, duration_bucket('-1 s') AS b`);
  expect(short).toEqual([{ a: 0, b: 0 }]);
});
