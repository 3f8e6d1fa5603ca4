import { randomUUID } from 'node:crypto';
import { lockRows, testDatabase } from '@escapement/testkit';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { openDatabase } from '../src/index.ts';
import { ago, MINUTE } from './ledger.ts';

// The function wake_waiting, of keys without rates.
const { url } = await testDatabase();
const db = openDatabase({ url, applicationName: 'test' });
afterAll(() => db.close());

beforeEach(async () => {
  for (const table of ['run', 'key_slot']) await db.pool.query(`TRUNCATE ${table} CASCADE`);
});

interface Row {
  key?: string;
  namespace?: string;
  state?: 'waiting' | 'queued' | 'running';
  overlap?: 'wait-one' | 'wait-all' | 'replace' | 'allow' | 'skip';
  /** Of its key. */
  limit?: number;
  attempt?: number;
  reason?: string | null;
  rateKey?: string | null;
  cancelled?: boolean;
  overwaited?: boolean;
}

const instants = new Map<string, Date>();

/** A run that waits, scheduled so many minutes ago; with what is another of it. */
async function run(name: string, minutes: number, row: Row = {}): Promise<void> {
  const { key = 'k', namespace = 'default', state = 'waiting', overlap = 'wait-all', limit = 1, attempt = 0 } = row;
  const { reason = null, rateKey = null, cancelled = false, overwaited = false } = row;
  const at = instants.get(`${minutes}`) ?? ago(minutes * MINUTE);
  instants.set(`${minutes}`, at);
  await db.pool.query(
    `INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, reason, key, key_limit, overlap, pool,
       due_at, dispatch, attempt, rate_key, waiting_since, cancel_requested_at, wait_until, requested_by, worker, fence, started_at)
     SELECT $1, $2, $3, $1, 1, 1, 'trigger', $4, $5, $6, $7, $8, 'default', $2, 4, $9, $10, now(), CASE WHEN $11 THEN now() END,
       CASE WHEN $12 THEN now() - interval '1 min' END, $13, 'w', 1, now()`,
    [
      ...[randomUUID(), at, namespace, state, reason, key, limit, overlap, attempt, rateKey, cancelled, overwaited],
      name,
    ],
  );
}

interface Slot {
  key?: string;
  namespace?: string;
  /** The run that has it, by its name. */
  holder?: string;
  awaited?: boolean;
}

async function slot(number: number, { key = 'k', namespace = 'default', holder = '', awaited = false }: Slot = {}) {
  await db.pool.query(
    `INSERT INTO key_slot (namespace, key, slot, run_id, run_scheduled_for, since, awaited)
     SELECT $1, $2, $3, r.id, r.scheduled_for, now(), $4 FROM (VALUES (1)) one LEFT JOIN run r ON r.requested_by = $5`,
    [namespace, key, number, awaited, holder],
  );
}

/** The runs that are woken, each with its slot, in their order. */
async function wake({ keys = ['k'], waits = false } = {}): Promise<[string, number | null][]> {
  const { rows } = await db.pool.query<{ run_id: string; slot: number | null }>(
    'SELECT run_id, slot FROM wake_waiting($1, $2, NULL, $3)',
    ['default', keys, waits],
  );
  const { rows: names } = await db.pool.query<{ id: string; name: string }>('SELECT id, requested_by AS name FROM run');
  return rows.map((row) => [names.find(({ id }) => id === row.run_id)?.name ?? '', row.slot]);
}

async function slots(): Promise<string[]> {
  const { rows } = await db.pool.query<{ slot: string }>(
    `SELECT concat_ws(' ', s.namespace, s.key, s.slot, r.requested_by, CASE WHEN s.awaited THEN 'awaited' END) AS slot
     FROM key_slot s LEFT JOIN run r ON r.id = s.run_id ORDER BY 1`,
  );
  return rows.map((row) => row.slot);
}

it('the first of its own key and namespace is woken, and its slot reserved', async () => {
  await run('abroad', 9, { namespace: 'other' });
  await run('beside', 8, { key: 'j' });
  await run('first', 8);
  await run('second', 7);
  for (const of of [{}, { key: 'j' }, { namespace: 'other' }]) await slot(1, of);
  expect(await wake()).toEqual([['first', 1]]);
  expect(await slots()).toEqual(['default j 1', 'default k 1 first', 'other k 1']);
  const { rows } = await db.pool.query(
    'SELECT requested_by AS name, state, dispatch FROM run ORDER BY scheduled_for, requested_by',
  );
  expect(rows).toEqual([
    { name: 'abroad', state: 'waiting', dispatch: 4 },
    { name: 'beside', state: 'waiting', dispatch: 4 },
    { name: 'first', state: 'queued', dispatch: 5 },
    { name: 'second', state: 'waiting', dispatch: 4 },
  ]);
});

it.each<[string, Row]>([
  ['that is to be cancelled', { cancelled: true }],
  ['that has waited for long enough', { overwaited: true }],
  ['that takes no slot', { overlap: 'allow' }],
  ['that does not wait', { state: 'queued', overlap: 'skip' }],
])('a run %s is passed', async (_, row) => {
  await run('passed', 9, row);
  await run('next', 8, { overlap: 'wait-one' });
  await slot(1);
  expect(await wake()).toEqual([['next', 1]]);
});

it.each<[string, Row, string[]]>([
  ['of the same order', {}, []],
  ['of another namespace', { namespace: 'other' }, ['later']],
  ['of another key', { key: 'j' }, ['later']],
  ['that asks for no order', { overlap: 'skip' }, ['later']],
  ['that is to be cancelled', { cancelled: true }, ['later']],
])('a run on its way, %s, holds up a later one that asks for order or not', async (_, row, woken) => {
  await run('on-its-way', 9, { state: 'queued', ...row });
  await run('later', 8);
  await slot(1);
  expect((await wake()).map(([name]) => name)).toEqual(woken);
});

it.each<[string, number, Row]>([
  ['that was scheduled before it', 10, {}],
  ['that asks for no order', 8, { overlap: 'wait-one' }],
  ['that has begun before', 8, { attempt: 1 }],
])('a run on its way does not hold up one %s', async (_, minutes, row) => {
  await run('on-its-way', 9, { state: 'queued' });
  await run('waits', minutes, row);
  await slot(1);
  expect(await wake()).toEqual([['waits', 1]]);
});

it('of runs that replace the newest is woken, but for one that has begun before', async () => {
  await run('older', 9, { overlap: 'replace' });
  await run('newest', 8, { overlap: 'replace' });
  await slot(1);
  expect(await wake()).toEqual([['newest', 1]]);
  await run('begun-before', 10, { overlap: 'replace', attempt: 1, key: 'j' });
  await run('newer', 8, { overlap: 'replace', key: 'j' });
  await slot(1, { key: 'j' });
  expect(await wake({ keys: ['j'] })).toEqual([['begun-before', 1]]);
});

it.each(['wait-all', 'wait-one'] as const)(
  'under %s as many are woken as there are free slots, in order',
  async (overlap) => {
    await run('holder', 20, { state: 'running', attempt: 1, limit: 4, overlap });
    for (const [index, name] of ['a', 'b', 'c', 'd'].entries()) await run(name, 9 - index, { limit: 4, overlap });
    for (const number of [1, 3, 4]) await slot(number);
    await slot(2, { holder: 'holder' });
    expect(await wake()).toEqual([
      ['a', 1],
      ['b', 3],
      ['c', 4],
    ]);
    expect(await slots()).toEqual(['default k 1 a', 'default k 2 holder', 'default k 3 b', 'default k 4 c']);
  },
);

it('no slot above the limit of a run is taken', async () => {
  await run('a', 9);
  await slot(2);
  expect(await wake()).toEqual([['a', null]]);
  expect(await slots()).toEqual(['default k 2']);
});

it('where no slot was in use yet one run goes without, also of a key that is named twice', async () => {
  await run('a', 9, { overlap: 'wait-one' });
  await run('b', 8, { overlap: 'wait-one' });
  await slot(1, { namespace: 'other' });
  await slot(1, { key: 'j' });
  expect(await wake({ keys: ['k', 'k'] })).toEqual([['a', null]]);
});

it('free slots of other keys and namespaces are not taken', async () => {
  await run('holder', 20, { state: 'running', attempt: 1, limit: 2 });
  await run('a', 9, { limit: 2 });
  await slot(1, { holder: 'holder' });
  await slot(2, { namespace: 'other' });
  await slot(2, { key: 'j' });
  expect(await wake()).toEqual([['a', null]]);
});

it('where as many hold slots as the limit says nobody is woken', async () => {
  await run('holder', 20, { state: 'running', attempt: 1 });
  await run('a', 9);
  await slot(1);
  await slot(2, { holder: 'holder' });
  expect(await wake()).toEqual([]);
});

it('slots that somebody has locked are not waited for, nor does a run go without them', async () => {
  await run('a', 9, { limit: 2 });
  await run('b', 8, { limit: 3 });
  for (const number of [1, 2]) await slot(number, { awaited: true });
  const held = await lockRows(url, 'SELECT FROM key_slot FOR UPDATE');
  expect(await Promise.race([wake(), held.awaited()])).toEqual([]);
  await held.release();
  expect(await wake()).toEqual([
    ['a', 1],
    ['b', 2],
  ]);
});

it('a caller that holds nothing waits for the slots of its keys, and for no others', async () => {
  await run('a', 9);
  for (const of of [{}, { key: 'j' }, { namespace: 'other' }]) await slot(1, of);
  const others = await lockRows(url, `SELECT FROM key_slot WHERE key = 'j' OR namespace = 'other' FOR UPDATE`);
  const own = await lockRows(url, `SELECT FROM key_slot WHERE key = 'k' AND namespace = 'default' FOR UPDATE`);
  const answer = wake({ waits: true });
  expect(await Promise.race([answer, own.awaited()])).toBeUndefined();
  await own.release();
  expect(await Promise.race([answer, others.awaited()])).toEqual([['a', 1]]);
  await others.release();
});

it('a run that somebody has locked is not waited for: the next is woken', async () => {
  await run('locked', 9, { overlap: 'wait-one' });
  await run('next', 8, { overlap: 'wait-one' });
  await slot(1);
  const held = await lockRows(url, `SELECT FROM run WHERE requested_by = 'locked' FOR UPDATE`);
  expect(await Promise.race([wake(), held.awaited()])).toEqual([['next', 1]]);
  await held.release();
});

it.each([
  ['as it is', { reason: 'held by another' }, 'held by another'],
  ['not where it was that of a rate', { reason: 'over the rate of 3 in 60 s' }, null],
  ['not where the run is under a rate', { reason: 'held by another', rateKey: 'r' }, null],
])('the reason why a run waited is kept %s', async (_, row, reason) => {
  await run('a', 9, row);
  await slot(1);
  expect(await wake()).toEqual([['a', 1]]);
  const { rows } = await db.pool.query('SELECT reason FROM run');
  expect(rows).toEqual([{ reason }]);
});

it('slots are awaited until nobody waits for their key, whoever waits for other keys', async () => {
  await run('a', 9);
  await run('b', 8);
  await run('abroad', 9, { namespace: 'other' });
  await run('beside', 9, { key: 'j' });
  for (const of of [{}, { key: 'j' }, { namespace: 'other' }]) await slot(1, { ...of, awaited: true });
  await wake();
  const others = ['default j 1 awaited', 'other k 1 awaited'];
  expect(await slots()).toEqual([others[0], 'default k 1 a awaited', others[1]]);
  await db.pool.query(`UPDATE run SET state = 'running', attempt = 1 WHERE requested_by IN ('a', 'b')`);
  expect(await wake()).toEqual([]);
  expect(await slots()).toEqual([others[0], 'default k 1 a', others[1]]);
});

it('a slot that somebody has locked stays awaited', async () => {
  await slot(1, { awaited: true });
  await slot(2, { awaited: true });
  const held = await lockRows(url, 'SELECT FROM key_slot WHERE slot = 1 FOR UPDATE');
  expect(await Promise.race([wake(), held.awaited()])).toEqual([]);
  await held.release();
  expect(await slots()).toEqual(['default k 1 awaited', 'default k 2']);
});
