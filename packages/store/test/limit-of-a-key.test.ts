import { afterAll, expect, it } from 'vitest';
import { type BeginResult, beginRuns, finishAndWake, listKeySlots, waitRun } from '../src/index.ts';
import { beginRequest, finishRequest, makeTask, type QueuedFixture, queueRuns, twoProcesses } from './ledger.ts';

const processes = await twoProcesses();
const { one, two } = processes;
afterAll(() => processes.close());

const RACES = 60;

/** A due run of a task of its own, whose key is the one given. */
async function queued(key: string, limit: number, overlap: 'skip' | 'wait-all' = 'skip'): Promise<QueuedFixture> {
  const name = `${key}-${limit}-${overlap}-${tasks++}`;
  const taskId = await makeTask(one, { name, limit, overlap });
  return only(await queueRuns(one, [{ taskId, key, ageMs: 1000 + tasks }]));
}
let tasks = 0;

function only<Value>(values: readonly Value[]): Value {
  const [value] = values;
  if (value === undefined) throw new Error('none');
  return value;
}

async function begin(run: QueuedFixture, slot: number, db = one): Promise<BeginResult> {
  return only(await beginRuns(db, [{ ...beginRequest(run), slot }]));
}

function runOf(result: BeginResult) {
  if (result.kind !== 'begun') throw new Error(`not begun: ${result.kind}`);
  return result.run;
}

const wait = (run: QueuedFixture, maxWaiting?: number) =>
  waitRun(one, { ...run, maxWaiting, seen: { state: 'queued', dispatch: run.dispatch, attempt: 0 } });

it('refuses the run of the larger limit beside one of the smaller, on whatever slot', async () => {
  const narrow = await queued('a', 1);
  const wide = await queued('a', 2);
  runOf(await begin(narrow, 1));
  expect(await begin(wide, 2)).toEqual({ kind: 'busy', holder: narrow.runId, anySlot: true });
});

it('refuses the run of the smaller limit though its slot is free', async () => {
  const wide = await queued('b', 2);
  const narrow = await queued('b', 1);
  runOf(await begin(wide, 2));
  expect(await begin(narrow, 1)).toEqual({ kind: 'busy', holder: wide.runId, anySlot: true });
});

it('counts by the smallest limit, not by equality', async () => {
  const runs = await Promise.all([3, 2, 3].map((limit) => queued('c', limit)));
  const [first, second, third] = runs as [QueuedFixture, QueuedFixture, QueuedFixture];
  runOf(await begin(first, 3));
  runOf(await begin(second, 2));
  expect(await begin(third, 1)).toMatchObject({ kind: 'busy', holder: second.runId, anySlot: true });
  expect((await listKeySlots(one, { key: 'c', limit: 9 })).map(({ limit }) => limit)).toEqual([2, 2, 2]);
});

it('skips with a reason that names the limit in its way', async () => {
  const narrow = await queued('d', 1);
  const wide = await queued('d', 2);
  runOf(await begin(narrow, 1));
  expect(await wait(wide, 0)).toEqual({
    kind: 'skipped',
    holder: narrow.runId,
    reason: `the key "d" was held by run ${narrow.runId}, whose task gives it a limit of 1`,
  });
});

it('wakes the run of the smaller limit when the last of the others has ended, not before', async () => {
  const wide = [await queued('e', 2), await queued('e', 2)] as const;
  const first = runOf(await begin(wide[0], 1));
  const narrow = await queued('e', 1, 'wait-all');
  expect(await wait(narrow)).toMatchObject({ kind: 'waiting', holder: wide[0].runId });
  const second = runOf(await begin(wide[1], 2));
  expect(only(await finishAndWake(one, [finishRequest(first)])).woken).toEqual([]);
  const [woken] = only(await finishAndWake(one, [finishRequest(second)])).woken;
  expect(woken).toMatchObject({ id: narrow.runId, slot: 1 });
  expect(await begin({ ...narrow, dispatch: woken?.dispatch ?? 0 }, 1)).toMatchObject({ kind: 'begun' });
});

it('never lets more in than the smallest limit, whoever begins at the same moment (I5)', async () => {
  for (let race = 0; race < RACES; race++) {
    const key = `race-${race}`;
    const limits = LIMITS[race % LIMITS.length] ?? [];
    const runs = await Promise.all(limits.map((limit) => queued(key, limit)));
    const results = await Promise.all(
      runs.map((run, index) => begin(run, limits.length - index, [one, two][index % 2])),
    );
    const inside = limits.filter((_, index) => results[index]?.kind === 'begun');
    expect(inside.length, `${limits} let in ${inside}`).toBeGreaterThan(0);
    expect(inside.length, `${limits} let in ${inside}`).toBeLessThanOrEqual(Math.min(...inside));
  }
});

/** One run each, on the last slot first; no run gets a slot beyond its limit. */
const LIMITS = [
  [2, 1],
  [3, 2, 1],
  [3, 3, 2],
  [3, 3, 1],
  [4, 3, 3, 2],
];

it('lets as many in as the limit says where all agree, in one batch or in several', async () => {
  const runs = await Promise.all([3, 3, 3].map((limit) => queued('f', limit)));
  const requests = runs.map((run, index) => ({ ...beginRequest(run), slot: index + 1 }));
  const [first, ...others] = requests;
  if (!first) throw new Error('none');
  const results = [...(await beginRuns(one, others)), ...(await beginRuns(two, [first]))];
  expect(results.map(({ kind }) => kind)).toEqual(['begun', 'begun', 'begun']);
});
