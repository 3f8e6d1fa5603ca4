import { newRunId, systemClock } from '@escapement/core';
import { createQueueContents, type RunJob } from '@escapement/queue';
import type { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { ownRedis } from './redis-server.ts';
import { aConnection, aRun, aRunQueue } from './support.ts';

/** What one script for this many asks for the runs of a page. */
const [PRESENT, PLACES] = [500, 250];

/** They come with a connection, and with counting. */
const OF_TESTS = new Set(['hello', 'info']);

/** Runs in bundles, then single ones. */
async function stored(url: string): Promise<{ bundled: RunJob[]; single: RunJob[] }> {
  const bundled = Array.from({ length: PRESENT }, () => aRun({ runId: newRunId(systemClock.now()), delayMs: 60_000 }));
  const single = Array.from({ length: PRESENT }, (_, index) => aRun({ delayMs: 70_000 + 1000 * index }));
  const queue = aRunQueue(url);
  await queue.add([...bundled, ...single]);
  return { bundled, single };
}

/** The commands that Redis has carried out since, those within scripts included. */
async function countOf(client: Redis, act: () => Promise<unknown>): Promise<Record<string, number>> {
  const from = await callsOf(client);
  await act();
  const to = await callsOf(client);
  const counts = Object.entries(to).map(([name, calls]) => [name, calls - (from[name] ?? 0)] as const);
  return Object.fromEntries(counts.filter(([name, calls]) => calls > 0 && !OF_TESTS.has(name)));
}

async function callsOf(client: Redis): Promise<Record<string, number>> {
  const text = await client.info('commandstats');
  return Object.fromEntries(
    [...text.matchAll(/cmdstat_([^:]+):calls=(\d+)/g)].map(([, name, calls]) => [name, Number(calls)]),
  );
}

test('whether the jobs of a page are there takes three commands', async () => {
  const { url, client } = await ownRedis();
  const { bundled, single } = await stored(url);
  const queue = aRunQueue(url);
  for (const page of [bundled, single]) {
    const found: boolean[] = [];
    const commands = await countOf(client, async () => found.push(...(await queue.present(page))));
    expect(found).toEqual(page.map(() => true));
    expect(commands).toEqual({ eval: 1, hmget: 1, exists: 1 });
  }
});

test('one job that is lost among 500 takes some more, and 500 that are lost take none', async () => {
  const { url, client } = await ownRedis();
  const { single } = await stored(url);
  const queue = aRunQueue(url);
  const [lost] = single;
  if (!lost) throw new Error('no fixture');
  await queue.remove([lost]);
  let found: boolean[] = [];
  const one = await countOf(client, async () => (found = await queue.present(single)));
  expect(found).toEqual(single.map((run) => run !== lost));
  expect(one).toEqual({ eval: 1, hmget: 1, exists: expect.any(Number) });
  expect(one.exists).toBeLessThan(2 * Math.log2(PRESENT) + 2);
  await client.flushdb();
  const all = await countOf(client, async () => (found = await queue.present(single)));
  expect(found).toEqual(single.map(() => false));
  expect(all).toEqual({ eval: 1, hmget: 1, exists: 1 });
});

test('where the jobs of a page are takes eight commands', async () => {
  const { url, client } = await ownRedis();
  const { bundled, single } = await stored(url);
  const contents = createQueueContents(aConnection(url));
  for (const page of [bundled.slice(0, PLACES), single.slice(0, PLACES)]) {
    const commands = await countOf(client, async () => {
      expect(new Set((await contents.places(page)).map(({ at }) => at))).toEqual(new Set(['delayed']));
    });
    expect(commands).toEqual({ eval: 1, hmget: 1, exists: 1, lrange: 2, llen: 1, zmscore: 2 });
  }
});

test('a page of bundles takes two commands for each', async () => {
  const { url, client } = await ownRedis();
  const { bundled } = await stored(url);
  const contents = createQueueContents(aConnection(url));
  const from = { list: 'delayed', from: 0 } as const;
  const commands = await countOf(client, async () => {
    expect((await contents.page('default', from, PRESENT)).jobs).toHaveLength(bundled.length);
  });
  const bundles = bundled.length / 25;
  expect(commands).toEqual({ eval: 1, zrange: 1, hget: bundles, hmget: bundles });
});

test('a run whose bundle is gone is there by a job of its own', async () => {
  const { url, client } = await ownRedis();
  const runs = Array.from({ length: 20 }, () => aRun({ delayMs: 60_000 }));
  const [again, other] = runs;
  if (!again || !other) throw new Error('no fixture');
  const queue = aRunQueue(url);
  await queue.add(runs);
  const bundles = await client.keys('*:b_*');
  expect(bundles).toHaveLength(1);
  await client.del(bundles);
  await queue.add([again]);
  expect(await queue.present([again, other])).toEqual([true, false]);
  const places = await createQueueContents(aConnection(url)).places([again, other]);
  expect(places.map(({ at }) => at)).toEqual(['delayed', 'gone']);
});
