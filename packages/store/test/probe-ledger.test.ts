import { newRunId, RUN_STATES } from '@escapement/core';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import {
  countQueued,
  dispatchableRuns,
  dueTasks,
  FROM_THE_START,
  findOldest,
  LEDGER_REPAIRS,
  lostRuns,
  overdueRuns,
  probeLedger,
  queuedRuns,
} from '../src/index.ts';
import { ago, MINUTE, makeTask, twoProcesses } from './ledger.ts';

const processes = await twoProcesses();
const { one } = processes;
afterAll(() => processes.close());

const taskId = await makeTask(one, { name: 'any' });
const ALL = [
  'live',
  'waiting',
  'slots',
  'cancelling',
  'late',
  'deleted',
  'of_workers',
  'untold',
  'unrepeated',
] as const;
const OPEN = ['planned', 'queued', 'running', 'waiting', 'retrying', 'held', 'unknown'];
const LOOK = { limit: 10, deadMs: 1000 };

const row = fc.record({
  state: fc.constantFrom(...RUN_STATES),
  origin: fc.constantFrom('schedule', 'trigger'),
  startByIn: fc.constantFrom(null, -3, 3),
  waitUntilIn: fc.constantFrom(null, -3, 3),
  cancel: fc.boolean(),
  /** Nobody by that name is there. */
  need: fc.constantFrom(null, null, 'shell@gone'),
  begun: fc.boolean(),
  /** Of the slot that names it. */
  slot: fc.constantFrom(null, null, 1),
  overlap: fc.constantFrom('skip', 'replace', 'wait-one'),
});

type Row = typeof row extends fc.Arbitrary<infer T> ? T : never;

const at = (minutes: number | null) => (minutes === null ? null : ago(-minutes * MINUTE));

async function insert(made: Row, index: number): Promise<void> {
  const due = ago(5 * MINUTE + index * 1000);
  const id = newRunId(due);
  const key = `key-${index}`;
  const attempt = made.begun || made.state === 'running' ? 1 : 0;
  await one.pool.query(
    `INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, key, key_limit, overlap,
       pool, need, due_at, attempt, start_by, wait_until, waiting_since, cancel_requested_at, worker, started_at, fence, slot, finished_at,
       reason, watched)
     VALUES ($1, $2, $3, $4, 1, 1, $5, $6, $7, 1, $8, 'p', $15, $2, $9, $10, $11, now(), $12, 'gone', $13, 1, 1, $14, 'why', false)`,
    [
      ...[id, due, one.namespace, taskId, made.origin, made.state, key, made.overlap, attempt],
      ...[at(made.startByIn), at(made.waitUntilIn), made.cancel ? ago(0) : null, ago(MINUTE)],
      OPEN.includes(made.state) ? null : ago(0),
      made.need,
    ],
  );
  if (made.slot === null) return;
  await one.pool.query(
    `INSERT INTO key_slot (namespace, key, slot, run_id, run_scheduled_for, since, fence) VALUES ($1, $2, $3, $4, $5, $6, 1)`,
    [one.namespace, key, made.slot, id, due, ago(MINUTE)],
  );
}

it('sees nothing in an empty ledger, and nothing of what has ended', async () => {
  expect(await probeLedger(one, ALL)).toEqual(new Set());
  const ended = {
    origin: 'trigger',
    startByIn: -3,
    waitUntilIn: null,
    cancel: true,
    need: null,
    begun: false,
    slot: null,
  } as const;
  await insert({ ...ended, state: 'succeeded', overlap: 'skip' }, 0);
  expect(await probeLedger(one, ALL)).toEqual(new Set());
});

async function fromOldest<T>(look: () => Promise<T>): Promise<T> {
  const { runs, tasks } = await findOldest(one);
  Object.assign(one.openFrom, { runs, tasks });
  return await look().finally(() => Object.assign(one.openFrom, FROM_THE_START));
}

it('never says that there is nothing where a repair finds something; nor does a look that begins at the oldest miss any', async () => {
  const seen = new Set<string>();
  const looks = [
    ...LEDGER_REPAIRS.map(({ kind, among, find }) => ({
      kind,
      among,
      find: async () => (await find(one, LOOK)).found,
    })),
    { kind: 'lost_run', among: 'live', find: async () => (await lostRuns(one, { silentMs: 0, limit: 10 })).length },
    {
      kind: 'overdue',
      among: 'live',
      find: async () => (await overdueRuns(one, { overdueMs: 0, limit: 10, lookAt: 10 })).runs.length,
    },
    {
      kind: 'queued',
      among: 'live',
      find: async () => (await queuedRuns(one, { after: undefined, limit: 10 })).length,
    },
    {
      kind: 'dispatchable',
      among: ['untold', 'unrepeated'],
      find: async () => (await dispatchableRuns(one, { horizonMs: 0, repeatGraceMs: 0, limit: 10 })).length,
    },
  ] as const;
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 3 }), fc.boolean(), async (rows, deleted) => {
      await one.pool.query('DELETE FROM run');
      await one.pool.query('DELETE FROM key_slot');
      for (const [index, made] of rows.entries()) await insert(made, index);
      await one.pool.query('UPDATE task SET ends_runs = $1, since_epoch = $2', [deleted, deleted ? 2 : 0]);
      const probe = await probeLedger(one, ALL);
      for (const { kind, among, find } of looks) {
        const found = await find();
        expect({ kind, fromOldest: await fromOldest(find) }).toEqual({ kind, fromOldest: found });
        if (found > 0) seen.add(kind);
        expect({ kind, isMissed: found > 0 && ![among].flat().some((each) => probe.has(each)) }).toEqual({
          kind,
          isMissed: false,
        });
      }
    }),
    { numRuns: 150 },
  );
  expect([...seen].sort()).toEqual(looks.map(({ kind }) => kind).sort());
});

it('looks at runs that are due begin where they are told to, and those at tasks', async () => {
  await one.pool.query('DELETE FROM run');
  const due = {
    origin: 'trigger',
    startByIn: null,
    waitUntilIn: null,
    cancel: false,
    need: null,
    begun: false,
    slot: null,
  } as const;
  await insert({ ...due, state: 'queued', overlap: 'skip' }, 0);
  await insert({ ...due, state: 'running', overlap: 'skip' }, 600);
  await one.pool.query(`UPDATE task_plan SET next_run_at = now() - interval '1 h' WHERE task_id = $1`, [taskId]);
  const seen = async () => [
    (await overdueRuns(one, { overdueMs: 0, limit: 10, lookAt: 10 })).runs.length,
    (await lostRuns(one, { silentMs: 0, limit: 10 })).length,
    (await countQueued(one)).reduce((sum, { queued, running }) => sum + queued + running, 0),
    (await dueTasks(one, { horizonMs: 0, limit: 10 })).tasks.length,
    (await probeLedger(one, ['live'])).size,
  ];
  expect(await seen()).toEqual([1, 1, 2, 1, 1]);
  // The second was due ten minutes before the first.
  const between = ago(10 * MINUTE).toISOString();
  Object.assign(one.openFrom, { runs: between, tasks: between });
  expect(await seen()).toEqual([1, 0, 1, 0, 1]);
  expect(await fromOldest(seen)).toEqual([1, 1, 2, 1, 1]);
});
