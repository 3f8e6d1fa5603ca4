import { by, lockRows } from '@escapement/testkit';
import { afterAll, expect, it } from 'vitest';
import {
  type BeginRequest,
  beginRuns,
  finishAndWake,
  lookUpRuns,
  requestCancel,
  waitRun,
  wakeKeys,
} from '../src/index.ts';
import { beginRequest, finishRequest, makeTask, type QueuedFixture, queueRuns, twoProcesses } from './ledger.ts';

const processes = await twoProcesses();
const { one, two } = processes;
afterAll(() => processes.close());

/** `count` due runs of a key under `wait-all`, the oldest first. */
async function ordered(key: string, count: number, limit: number): Promise<QueuedFixture[]> {
  const taskId = await makeTask(one, { name: key, overlap: 'wait-all', limit });
  return await queueRuns(
    one,
    Array.from({ length: count }, (_, index) => ({ taskId, key, ageMs: (count - index) * 1000 })),
  );
}

/** The last first, so that those that come find no order made for them. */
async function allWait(runs: readonly QueuedFixture[]): Promise<void> {
  for (const run of runs.toReversed())
    expect(await waitRun(one, { ...run, seen: { state: 'queued', dispatch: 1, attempt: 0 } })).toMatchObject({
      kind: 'waiting',
    });
}

/** The jobs of woken runs, each on the slot that was reserved for it unless told otherwise; the last first. */
function together(
  runs: readonly { id: string; scheduledFor: Date; dispatch: number; key: string; slot: number | null }[],
) {
  return runs
    .map((run): BeginRequest => ({ ...beginRequest({ ...run, runId: run.id }), slot: run.slot, ordered: true }))
    .toReversed();
}

/** The first `limit` runs at work, the others waiting. */
async function atWork(key: string, others: number, limit: number) {
  const runs = await ordered(key, limit + others, limit);
  const requests = runs.slice(0, limit).map((run, index) => ({ ...beginRequest(run), slot: index + 1, ordered: true }));
  const holders = (await beginRuns(one, requests)).map((answer) => {
    if (answer.kind !== 'begun') throw new Error(answer.kind);
    return answer.run;
  });
  await allWait(runs.slice(limit));
  return { holders, rest: runs.slice(limit) };
}

async function startsOf(key: string): Promise<string[]> {
  const { rows } = await one.pool.query<{ id: string }>(
    `SELECT id FROM run WHERE key = $1 AND state = 'running' ORDER BY started_at`,
    [key],
  );
  return rows.map(({ id }) => id);
}

it('wakes as many as there are slots, and they begin together, each after the one before it', async () => {
  const { holders, rest } = await atWork('together', 4, 3);
  const finished = await finishAndWake(
    one,
    holders.map((run) => finishRequest(run)),
  );
  const woken = finished.flatMap((each) => each.woken);
  expect(woken.map(({ id }) => id).toSorted()).toEqual(rest.slice(0, 3).map(({ runId }) => runId));
  expect(new Set(woken.map(({ slot }) => slot))).toEqual(new Set([1, 2, 3]));
  const seen = await lookUpRuns(
    one,
    woken.map(({ id, scheduledFor }) => ({ runId: id, scheduledFor })),
  );
  expect(seen.map((run) => [run?.behind, run?.slot])).toEqual(woken.map(({ slot }) => [false, slot]));
  expect((await beginRuns(two, together(woken))).map(({ kind }) => kind)).toEqual(['begun', 'begun', 'begun']);
  expect(await startsOf('together')).toEqual(rest.slice(0, 3).map(({ runId }) => runId));
});

it('begins none of them before the one ahead of it, whether that is another call or is refused in the same (I13)', async () => {
  const { holders, rest } = await atWork('refused', 3, 3);
  const finished = await finishAndWake(
    one,
    holders.map((run) => finishRequest(run)),
  );
  const woken = finished.flatMap((each) => each.woken).toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const [first, second, third] = rest.map(({ runId }) => runId);
  // Alone, and with the first of the order missing.
  for (const some of [woken.slice(2), woken.slice(1)]) {
    const answers = await beginRuns(two, together(some));
    expect(answers).toEqual(some.map(() => ({ kind: 'busy', holder: first, anySlot: true })));
  }
  // The second asks for a slot that the key does not have: the first begins, the third does not.
  const bent = woken.map((run) => (run.id === second ? { ...run, slot: 9 } : run));
  const kinds = new Map(
    (await beginRuns(two, together(bent))).map((answer, index) => [together(bent)[index]?.runId, answer.kind]),
  );
  expect(kinds.get(first as string)).toBe('begun');
  expect(kinds.get(third as string)).not.toBe('begun');
  expect(await startsOf('refused')).toEqual([first]);
  // In its place it begins, and the third after it.
  expect((await beginRuns(two, together(woken.slice(1)))).map(({ kind }) => kind)).toEqual(['begun', 'begun']);
  expect(await startsOf('refused')).toEqual([first, second, third]);
});

it('lets those behind begin without one that is cancelled meanwhile', async () => {
  const { holders, rest } = await atWork('cancelled', 3, 3);
  const finished = await finishAndWake(
    one,
    holders.map((run) => finishRequest(run)),
  );
  const woken = finished.flatMap((each) => each.woken);
  await requestCancel(one, rest[0]?.runId as string, by('ann'));
  await beginRuns(two, together(woken));
  const again = together(woken.filter(({ id }) => id !== rest[0]?.runId));
  await beginRuns(two, again);
  expect(await startsOf('cancelled')).toEqual(rest.slice(1).map(({ runId }) => runId));
});

it('a wake-up of its own waits for the slots: who has them locked may not have seen what it is about', async () => {
  const rest = await ordered('locked', 1, 2);
  await one.pool.query(`INSERT INTO key_slot (namespace, key, slot) VALUES ($1, 'locked', 1)`, [one.namespace]);
  await one.pool.query(`UPDATE run SET state = 'waiting', waiting_since = now() WHERE key = 'locked'`);
  const lock = await lockRows(one.url, `SELECT FROM key_slot WHERE key = 'locked' FOR UPDATE`);
  const wake = wakeKeys(one, ['locked']);
  await lock.awaited();
  await lock.release();
  expect((await wake).map(({ id }) => id)).toEqual(rest.map(({ runId }) => runId));
});

it('wakes runs under a rate one after the other, since each takes its token when it begins', async () => {
  const taskId = await makeTask(one, {
    name: 'rated',
    overlap: 'wait-all',
    limit: 3,
    rate: { limit: 100, perMs: 1000 },
  });
  const runs = await queueRuns(
    one,
    [3, 2, 1].map((seconds) => ({ taskId, key: 'rated', ageMs: seconds * 1000 })),
  );
  await one.pool.query(
    `INSERT INTO key_slot (namespace, key, slot) SELECT $1, 'rated', slot FROM generate_series(1, 3) AS slot`,
    [one.namespace],
  );
  await one.pool.query(`UPDATE run SET state = 'waiting', waiting_since = now() WHERE key = 'rated'`);
  expect((await wakeKeys(one, ['rated'])).map(({ id }) => id)).toEqual([runs[0]?.runId]);
});

it('begins no run under a rate beside the one ahead, which may find no token of its own (I13)', async () => {
  const limits = { none: { limit: 1, perMs: 3_600_000 }, some: { limit: 100, perMs: 1000 } };
  const tasks = new Map<string, string>();
  for (const [name, rate] of Object.entries(limits))
    tasks.set(name, await makeTask(one, { name, key: 'two rates', overlap: 'wait-all', limit: 3, rate }));
  const runs = await queueRuns(
    one,
    (['none', 'none', 'some'] as const).map((name, index) => ({
      taskId: tasks.get(name) ?? '',
      key: 'two rates',
      ageMs: (3 - index) * 1000,
    })),
  );
  const requests = runs.map((run, index) => ({ ...beginRequest(run), slot: index + 1, rated: true, ordered: true }));
  // The first takes the only token of its rate.
  expect((await beginRuns(one, requests.slice(0, 1))).map(({ kind }) => kind)).toEqual(['begun']);
  await beginRuns(one, requests.slice(1));
  expect(await startsOf('two rates')).toEqual([runs[0]?.runId]);
});
