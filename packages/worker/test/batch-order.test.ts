import type { Json } from '@escapement/core';
import { expect, it } from 'vitest';
import { batchFleet, fanOut } from './batch-fleet.ts';

const ITEMS = 30;

const fleet = await batchFleet();
await fleet.startWorker('worker-1', 10);
await fleet.startWorker('worker-2', 10);

/** When each item began and ended, in that order; how many were at work at once at most. */
async function record(name: string, request: object, target: object = {}) {
  const log: string[] = [];
  let inside = 0;
  let most = 0;
  let random = 7;
  await fleet.define({ name: `${name}-item`, ...target }, async ({ payload }) => {
    log.push(`begin ${nOf(payload)}`);
    inside += 1;
    most = Math.max(most, inside);
    // Of a fixed sequence that looks like chance; longer than the way from one start to the next on a busy machine.
    random = (random * 48_271) % 2_147_483_647;
    await new Promise((resolve) => setTimeout(resolve, 20 + (random % 60)));
    inside -= 1;
    log.push(`end ${nOf(payload)}`);
    return undefined;
  });
  await fleet.define({ name: `${name}-join` });
  await fleet.define({ name }, (context) =>
    fanOut(
      context,
      { task: `${name}-item`, join: `${name}-join`, ...request },
      Array.from({ length: ITEMS }, (_, n) => ({ n, kind: n % 2 })),
    ),
  );
  const over = fleet.ended(`${name}-join`);
  const id = await fleet.runToEnd(name);
  await fleet.dispatchUntil(over);
  return { log, most, batch: await fleet.batchOf(id), children: await fleet.children((await fleet.batchOf(id)).id) };
}

const nOf = (payload: Json | undefined) => (payload as { n: number }).n;
const inOrder = Array.from({ length: ITEMS }, (_, n) => n);
const starts = (log: readonly string[]) =>
  log.filter((line) => line.startsWith('begin')).map((line) => Number(line.slice('begin '.length)));

it('order start: children begin in the order of the items, side by side', { timeout: 60_000 }, async () => {
  const { children, most, batch } = await record('starts', { order: 'start', concurrency: 5 });
  expect(batch).toMatchObject({ succeeded: ITEMS, failed: 0 });
  const times = children.map(({ started_at }) => started_at.getTime());
  expect(times).toEqual([...times].sort((a, b) => a - b));
  expect(most).toBeGreaterThan(1);
  expect(most).toBeLessThanOrEqual(5);
});

it('order series: one after the other, whatever the worker', { timeout: 60_000 }, async () => {
  const { log, batch } = await record('series', { order: 'series' });
  expect(batch).toMatchObject({ succeeded: ITEMS, failed: 0 });
  expect(log).toEqual(inOrder.flatMap((n) => [`begin ${n}`, `end ${n}`]));
});

it('a key of the task is kept: its limit holds, its order too, and nobody is skipped', {
  timeout: 60_000,
}, async () => {
  const { log, most, batch } = await record('keyed', { order: 'start' }, { key: 'printer' });
  expect(batch).toMatchObject({ succeeded: ITEMS, failed: 0, skipped: 0 });
  expect(most).toBe(1);
  expect(starts(log)).toEqual(inOrder);
});

it('a key over the items: those of one key one by one, the others beside them', { timeout: 60_000 }, async () => {
  const { most, batch } = await record('kinds', { key: 'kind:{{payload.kind}}' });
  expect(batch).toMatchObject({ succeeded: ITEMS, failed: 0, skipped: 0 });
  expect(most).toBe(2);
});
