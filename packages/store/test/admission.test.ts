import { randomUUID } from 'node:crypto';
import { NOT_BEGUN, NOT_BEGUN_CODES, type NotBegunCode, newRunId, OVERLAP_RULES, overlapsWith } from '@escapement/core';
import { by } from '@escapement/testkit';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { type BeginRequest, beginRuns, lookUpRuns, markQueued, pausePool, waitRun, wakeKeys } from '../src/index.ts';
import { refusalCodes } from '../src/runs/why-not-begun.ts';
import { ago, MINUTE, makeTask, twoProcesses } from './ledger.ts';

const processes = await twoProcesses();
const { one } = processes;
afterAll(() => processes.close());

const AT_ONCE = 8;
const POLICIES = overlapsWith(() => true);
const WITH_ORDER = overlapsWith(({ ordering }) => ordering !== 'none');

/** Mostly one of the first: most of what refuses a run would else hide behind what is asked before it. */
function often<Value>(mostly: readonly Value[], seldom: readonly Value[]) {
  return fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom(...mostly) },
    { weight: 1, arbitrary: fc.constantFrom(...seldom) },
  );
}

/** A run, its task, its key and the job that comes for it. Times in minutes from now, never 0. */
const situation = fc.record({
  state: often(['planned', 'queued', 'queued', 'queued', 'retrying'], ['waiting', 'held']),
  origin: fc.constantFrom('schedule', 'schedule', 'catch_up', 'trigger', 'backfill'),
  attempts: fc.constantFrom(0, 0, 1),
  dispatch: fc.constantFrom(0, 1, 2),
  /** Of the job, beside the one that the row waits for. */
  jobOff: often([0], [-1, 1]),
  dueIn: often([-5], [5]),
  misfireIn: fc.constantFrom(null, null, -4, 6),
  /** It has waited for its key before. */
  waited: fc.constantFrom(false, false, true),
  startByIn: fc.constantFrom(null, null, null, -3, 3),
  planEpoch: fc.constantFrom(1, 1, 1, 0),
  /** The edit from which the task counts, beside the run's instant. */
  editedIn: fc.constantFrom(-60, 60),
  pausedAround: fc.constantFrom(false, false, false, true),
  pauseEnded: fc.boolean(),
  poolPaused: often([false], [true]),
  cancel: often([false], [true]),
  deleted: often([false], [true]),
  /** The epoch with which the task was saved again after a deletion; 0: it never was. */
  sinceEpoch: often([0], [1]),
  overlap: fc.constantFrom(...POLICIES, ...WITH_ORDER, ...WITH_ORDER),
  limit: fc.constantFrom(1, 2, 3, 3),
  slot: fc.constantFrom(1, 1, 2, 3, null),
  /** Others of the key that have not begun, by how much earlier they are due, in minutes. */
  peers: fc.array(
    fc.record({
      earlier: fc.constantFrom(2, -2),
      state: fc.constantFrom('queued', 'waiting', 'planned'),
      cancel: often([false], [true]),
      due: often([true], [false]),
      /** Of one that waits: it has waited for as long as it is ready to. */
      overwaited: often([false], [true]),
    }),
    {
      maxLength: 2,
    },
  ),
  /** The same of the run itself, where it waits. */
  overwaited: often([false], [true]),
  /** Who has the slots 1 to 3; a limit below the slot is raised to it. */
  holders: fc.array(
    fc.record({
      kind: fc.constantFrom('none', 'none', 'none', 'running', 'retrying', 'reserved', 'lapsed', 'over', 'itself'),
      limit: fc.constantFrom(1, 2, 3),
    }),
    { minLength: 3, maxLength: 3 },
  ),
  /** Whether slot 1 knows that all who hold the key have one limit. */
  agreed: fc.boolean(),
  frozen: often([false], [true]),
});

type Situation = typeof situation extends fc.Arbitrary<infer T> ? T : never;

const HOLDING = ['running', 'retrying', 'reserved'];

interface Made {
  it: Situation;
  attempt: number;
  peerIds: string[];
  request: BeginRequest;
}

async function insertRun(columns: { [name: string]: unknown }): Promise<void> {
  const names = Object.keys(columns);
  await one.pool.query(
    `INSERT INTO run (${names.join(', ')}) VALUES (${names.map((_, index) => `$${index + 1}`).join(', ')})`,
    Object.values(columns),
  );
}

function inMinutes(minutes: number | null): Date | null {
  return minutes === null ? null : ago(-minutes * MINUTE);
}

async function make(it: Situation, name: string): Promise<Made> {
  const taskId = await makeTask(one, { name, pool: 'p' });
  const at = it.frozen ? ago(50 * MINUTE) : ago(5 * MINUTE);
  const own = { namespace: one.namespace, key: name, task_version: 1, pool: it.poolPaused ? 'paused' : 'p' };
  const runId = newRunId(at);
  const attempt = it.state === 'retrying' ? 1 : it.state === 'held' || it.state === 'waiting' ? 0 : it.attempts;
  await insertRun({
    ...own,
    id: runId,
    scheduled_for: at,
    task_id: taskId,
    plan_epoch: it.planEpoch,
    origin: it.origin,
    state: it.state,
    key_limit: it.limit,
    overlap: it.overlap,
    due_at: inMinutes(it.dueIn),
    dispatch: it.dispatch,
    attempt,
    misfire_at: inMinutes(it.misfireIn),
    start_by: inMinutes(it.startByIn),
    waiting_since: it.state === 'waiting' || it.waited ? ago(0) : null,
    wait_until: it.state === 'waiting' ? inMinutes(it.overwaited ? -1 : 9) : null,
    cancel_requested_at: it.cancel ? ago(0) : null,
  });
  await one.pool.query(
    'WITH p AS (UPDATE task_plan SET next_run_at = NULL WHERE task_id = $1) UPDATE task SET plan_epoch = 1, since_epoch = $4, effective_at = $2, deleted_at = $3 WHERE id = $1',
    [taskId, new Date(at.getTime() + it.editedIn * MINUTE), it.deleted ? ago(0) : null, it.sinceEpoch],
  );
  if (it.pausedAround)
    await one.pool.query(
      `INSERT INTO task_pause (task_id, from_at, until_at, created_by) VALUES ($1, $2, $3, 'test')`,
      [taskId, new Date(at.getTime() - 2 * MINUTE), it.pauseEnded ? at : null],
    );
  const peerIds: string[] = [];
  for (const peer of it.peers) {
    const due = new Date(at.getTime() - peer.earlier * MINUTE);
    const id = newRunId(due);
    peerIds.push(id);
    await insertRun({
      ...own,
      id,
      scheduled_for: due,
      task_id: taskId,
      plan_epoch: 1,
      origin: 'trigger',
      state: peer.state,
      key_limit: it.limit,
      overlap: it.overlap,
      due_at: peer.due ? due : inMinutes(9),
      waiting_since: peer.state === 'waiting' ? ago(0) : null,
      wait_until: peer.state === 'waiting' ? inMinutes(peer.overwaited ? -1 : 9) : null,
      cancel_requested_at: peer.cancel ? ago(0) : null,
    });
  }
  await makeSlots(it, own, taskId, { runId, at });
  const jobDispatch = (it.state === 'queued' ? it.dispatch : it.dispatch + 1) + it.jobOff;
  const slot = OVERLAP_RULES[it.overlap].takesSlot ? it.slot : null;
  return {
    it,
    attempt,
    peerIds,
    request: { runId, scheduledFor: at, dispatch: jobDispatch, beginId: randomUUID(), key: name, slot, worker: 'w' },
  };
}

/** Slots 1 to 3 of the key. A key that was ever in use has the row of its first slot. */
async function makeSlots(
  it: Situation,
  own: { namespace: string; key: string },
  taskId: string,
  { runId, at }: { runId: string; at: Date },
): Promise<void> {
  const limits = limitsOfHolders(it);
  for (const [index, { kind, limit }] of it.holders.entries()) {
    const slot = index + 1;
    if (kind === 'none' && slot > 1) continue;
    // A reservation lasts for 5 s: it must outlast the making of all.
    const since = ago(kind === 'lapsed' ? MINUTE : -60 * MINUTE);
    const state = kind === 'over' ? 'succeeded' : kind === 'reserved' || kind === 'lapsed' ? 'queued' : kind;
    const id = kind === 'itself' ? runId : newRunId(at);
    if (kind !== 'none' && kind !== 'itself')
      await insertRun({
        ...own,
        id,
        scheduled_for: at,
        task_id: taskId,
        task_version: 1,
        plan_epoch: 1,
        origin: 'trigger',
        state,
        key_limit: Math.max(limit, slot),
        overlap: 'skip',
        due_at: at,
        slot,
        dispatch: 1,
        attempt: state === 'running' || state === 'retrying' ? 1 : 0,
        worker: 'w2',
        fence: 1,
        started_at: at,
        finished_at: state === 'succeeded' ? ago(0) : null,
      });
    const agreed = new Set(limits).size > 1 ? 0 : (limits[0] ?? it.limit);
    await one.pool.query(
      `INSERT INTO key_slot (namespace, key, slot, fence, run_id, run_scheduled_for, worker, since, key_limit)
       VALUES ($1, $2, $3, 1, $4, $5, 'w2', $6, $7)`,
      [
        own.namespace,
        own.key,
        slot,
        kind === 'none' ? null : id,
        kind === 'none' ? null : at,
        kind === 'none' ? null : since,
        slot === 1 && it.agreed ? agreed : 0,
      ],
    );
  }
}

function limitsOfHolders({ holders }: Situation): number[] {
  return holders.flatMap(({ kind, limit }, index) => (HOLDING.includes(kind) ? [Math.max(limit, index + 1)] : []));
}

type Peer = Situation['peers'][number];

/** Due and on its way: the others mind it. */
function isInLine({ state, cancel, due, overwaited }: Peer): boolean {
  return !cancel && due && !(state === 'waiting' && overwaited);
}

/** By the order that the policy of the run asks for. */
function goesBefore({ earlier }: Pick<Peer, 'earlier'>, { overlap }: Situation): boolean {
  const { ordering } = OVERLAP_RULES[overlap];
  return ordering === 'oldest-first' ? earlier > 0 : ordering === 'newest-first' && earlier < 0;
}

function isFull(it: Situation): boolean {
  const limits = limitsOfHolders(it);
  return OVERLAP_RULES[it.overlap].takesSlot && limits.length >= Math.min(it.limit, ...limits);
}

/** The rule in words of TypeScript: each code with what it asks, in order. */
function expectedCode({ it }: Made): NotBegunCode | null {
  const attempt = it.state === 'retrying' ? 1 : it.attempts;
  const first = attempt === 0;
  const occurrence = first && (it.origin === 'schedule' || it.origin === 'catch_up');
  const { ordering, takesSlot } = OVERLAP_RULES[it.overlap];
  const ahead = first && it.peers.some((peer) => isInLine(peer) && goesBefore(peer, it));
  const limits = limitsOfHolders(it);
  const slot = takesSlot ? it.slot : null;
  const rules: { [Code in NotBegunCode]: boolean } = {
    stale: !['planned', 'queued', 'retrying'].includes(it.state) || it.jobOff !== 0,
    no_such_slot: slot !== null && slot > it.limit,
    cancelled: it.cancel,
    task_deleted: it.deleted || it.planEpoch < it.sinceEpoch,
    edited: occurrence && it.planEpoch !== 1 && it.editedIn < 0,
    frozen: occurrence && it.frozen,
    paused: occurrence && it.pausedAround && !it.pauseEnded,
    start_missed: first && it.startByIn !== null && it.startByIn < 0,
    early: it.dueIn > 0,
    pool_paused: it.poolPaused,
    misfired: first && it.misfireIn !== null && it.misfireIn < 0 && !it.waited,
    replaced: ahead && ordering === 'newest-first',
    behind: ahead && ordering === 'oldest-first',
    key_full: slot !== null && limits.length >= Math.min(it.limit, ...limits),
    slot_taken: slot !== null && HOLDING.includes(it.holders[slot - 1]?.kind ?? 'none'),
  };
  return NOT_BEGUN_CODES.find((code) => rules[code]) ?? null;
}

const KINDS: { [Code in NotBegunCode]?: string } = {
  stale: 'stale',
  no_such_slot: 'stale',
  early: 'early',
  pool_paused: 'pool_paused',
  misfired: 'misfire',
  behind: 'busy',
  key_full: 'busy',
  slot_taken: 'busy',
};

it('of any run either a begin starts it, or one code says why not; the look-up before says the same', {
  timeout: 240_000,
}, async () => {
  const seen = new Map<string, number>();
  const situations = fc.sample(situation, { numRuns: 1500, seed: 9 });
  const made: Made[] = [];
  await pausePool(one, 'paused', null, by('test'));
  await one.pool.query(
    `INSERT INTO fleet_freeze (namespace, from_at, until_at, note, created_by) VALUES ('default', $1, $2, 'x', 'x')`,
    [ago(55 * MINUTE), ago(45 * MINUTE)],
  );
  for (let from = 0; from < situations.length; from += AT_ONCE) {
    const some = situations.slice(from, from + AT_ONCE);
    made.push(...(await Promise.all(some.map((each, index) => make(each, `any-${from + index}`)))));
  }
  const requests = made.map(({ request }) => request);
  const codes = await refusalCodes(one, requests);
  const sketches = await lookUpRuns(one, requests);
  const results = await beginRuns(one, requests);
  for (const [index, each] of made.entries()) {
    const code = codes[index] ?? null;
    const [result, sketch] = [results[index], sketches[index]];
    const told = JSON.stringify({ ...each.it, code, result: result?.kind }, (_, value) =>
      typeof value === 'bigint' ? String(value) : value,
    );
    expect(code, told).toBe(expectedCode(each));
    seen.set(String(code), (seen.get(String(code)) ?? 0) + 1);
    // Without a slot only a run begins whose policy takes none: an edit may have changed the policy since the look-up.
    const lacksSlot = each.request.slot === null && OVERLAP_RULES[each.it.overlap].takesSlot;
    if (code === null) expect(result?.kind, told).toBe(lacksSlot ? 'changed' : 'begun');
    else if (NOT_BEGUN[code].endsAs === null) expect(result?.kind, told).toBe(KINDS[code]);
    else expect(result, told).toMatchObject({ kind: 'ended', state: NOT_BEGUN[code].endsAs });
    // Who looks up knows nothing of the job's number and of the slot.
    if (!sketch || code === 'stale' || code === 'no_such_slot') continue;
    const later = NOT_BEGUN_CODES.slice(NOT_BEGUN_CODES.indexOf('misfired') + 1);
    if (code === 'misfired' || code === null || later.includes(code))
      expect(sketch.misfired, told).toBe(code === 'misfired');
    if (code === 'early' || code === null) expect(sketch.earlyMs > 0, told).toBe(code === 'early');
    if (code === null || later.includes(code)) expect(sketch.behind, told).toBe(code === 'behind');
  }
  // Each code came, and so did a start: else this proves nothing of it.
  for (const code of [...NOT_BEGUN_CODES, null])
    expect(seen.get(String(code)) ?? 0, `${code} in ${JSON.stringify([...seen])}`).toBeGreaterThan(4);
});

/** So many situations, made under keys of their own. */
async function madeFrom(
  numRuns: number,
  name: string,
  change: (it: Situation) => Situation = (it) => it,
): Promise<Made[]> {
  const situations = fc.sample(situation, { numRuns, seed: 11 }).map(change);
  const made: Made[] = [];
  for (let from = 0; from < situations.length; from += AT_ONCE) {
    const some = situations.slice(from, from + AT_ONCE);
    made.push(...(await Promise.all(some.map((each, index) => make(each, `${name}-${from + index}`)))));
  }
  return made;
}

const ENDING: readonly (NotBegunCode | null)[] = ['task_deleted', 'edited', 'frozen', 'paused', 'start_missed'];

it('who finds no room waits, by the same rule as a begin: its job, no cancellation, nothing that ends it, the order, the limit', {
  timeout: 240_000,
}, async () => {
  const seen = new Map<string, number>();
  for (const made of await madeFrom(400, 'wait')) {
    const { it, attempt, request } = made;
    const { runId, scheduledFor, dispatch } = request;
    const found = { runId, scheduledFor, seen: { state: it.state, dispatch: it.dispatch, attempt }, dispatch } as const;
    const { kind } = await waitRun(one, found);
    const ahead = attempt === 0 && it.peers.some((peer) => isInLine(peer) && goesBefore(peer, it));
    const { ordering, onBusy } = OVERLAP_RULES[it.overlap];
    const stale = !['planned', 'queued', 'retrying'].includes(it.state) || it.jobOff !== 0 || it.cancel;
    const ends = ENDING.includes(expectedCode({ ...made, it: { ...it, slot: null } }));
    const expected = stale
      ? 'stale'
      : ends
        ? 'refused'
        : ahead
          ? ordering === 'newest-first'
            ? 'skipped'
            : 'waiting'
          : isFull(it)
            ? 'waiting'
            : 'free';
    seen.set(kind, (seen.get(kind) ?? 0) + 1);
    // Who replaces may make room for itself.
    if (expected === 'waiting' && onBusy === 'replace') expect(['waiting', 'free'], JSON.stringify(it)).toContain(kind);
    else expect(kind, JSON.stringify(it)).toBe(expected);
  }
  for (const kind of ['stale', 'refused', 'waiting', 'skipped', 'free'])
    expect(seen.get(kind) ?? 0, `${kind} in ${JSON.stringify([...seen])}`).toBeGreaterThan(4);
});

it('a wake-up takes nobody who is cancelled, has waited for long enough or has one ahead, and somebody where it can', {
  timeout: 240_000,
}, async () => {
  let [woken, left] = [0, 0];
  // Of those that begin beside others none waits for a slot.
  const waits = (it: Situation): Situation => ({
    ...it,
    state: 'waiting',
    attempts: 0,
    overlap: OVERLAP_RULES[it.overlap].takesSlot ? it.overlap : 'wait-all',
  });
  for (const { it, request, peerIds } of await madeFrom(400, 'wake', waits)) {
    const ids = new Set((await wakeKeys(one, [request.key])).map(({ id }) => id));
    // The run itself, beside the others of its key; all of them have its policy.
    const all = [
      { ...it, id: request.runId, earlier: 0, due: it.dueIn < 0 },
      ...it.peers.map((peer, index) => ({ ...peer, id: peerIds[index] ?? '' })),
    ];
    const may = all.filter(
      (run) =>
        run.state === 'waiting' &&
        !run.cancel &&
        !run.overwaited &&
        !all.some(
          (other) =>
            other.id !== run.id &&
            // What waits before it may be woken with it.
            (other.state !== 'waiting' || it.overlap === 'replace') &&
            isInLine(other as Peer) &&
            // Of those that are due together the id decides, as Postgres compares it.
            goesBefore(
              { earlier: (other.earlier - run.earlier || (other.id < run.id ? 1 : -1)) as Peer['earlier'] },
              it,
            ),
        ),
    );
    const told = JSON.stringify({ ...it, woken: [...ids] });
    for (const id of ids)
      expect(
        may.map((run) => run.id),
        told,
      ).toContain(id);
    if (may.length > 0 && limitsOfHolders(it).length === 0 && it.holders.every(({ kind }) => kind !== 'itself'))
      expect(ids.size, told).toBeGreaterThan(0);
    if (ids.size > 0) woken += 1;
    else left += 1;
  }
  expect(woken).toBeGreaterThan(40);
  expect(left).toBeGreaterThan(40);
});

it('what is told to the queue is marked as queued by the job that was added, and no other', async () => {
  const made = await madeFrom(100, 'mark');
  await markQueued(
    one,
    made.map(({ request }) => ({ id: request.runId, scheduledFor: request.scheduledFor, dispatch: request.dispatch })),
  );
  const { rows } = await one.pool.query<{ id: string; state: string; dispatch: number }>(
    'SELECT id, state, dispatch FROM run WHERE id = ANY ($1)',
    [made.map(({ request }) => request.runId)],
  );
  const now = new Map(rows.map((row) => [row.id, row]));
  let marked = 0;
  for (const { it, request } of made) {
    const isMarked = it.jobOff === 0 && ['planned', 'retrying'].includes(it.state);
    marked += Number(isMarked);
    expect(now.get(request.runId), JSON.stringify(it)).toMatchObject({
      state: isMarked ? 'queued' : it.state,
      dispatch: isMarked ? request.dispatch : it.dispatch,
    });
  }
  expect(marked).toBeGreaterThan(9);
});

it.each([
  [
    'a look for who goes first',
    `run_is_in_line(r.phase, r.state, r.attempt, r.due_at, r.cancel_requested_at, r.wait_until)`,
  ],
  ['a look for who is to be cancelled', `run_is_cancelled(r.cancel_requested_at)`],
  ['a look for who has waited for long enough', `run_has_overwaited(r.wait_until)`],
  ['a look for who has not begun', `run_has_not_begun(r.phase, r.state, r.attempt)`],
  ['a begin', `run_is_of_job(r.state, r.dispatch, 3) AND run_is_due(r.due_at)`],
])('Postgres puts the text of the rules into %s', async (_, condition) => {
  const { rows } = await one.pool.query<{ 'QUERY PLAN': string }>(
    `EXPLAIN VERBOSE SELECT r.id FROM run r WHERE ${condition}`,
  );
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  expect(plan).toMatch(/Filter: |Index Cond: /);
  expect(plan).not.toContain('run_is_');
  expect(plan).not.toContain('run_has_');
});
