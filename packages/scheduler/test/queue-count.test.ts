import { ManualClock, SECOND } from '@escapement/core';
import { triggerTask } from '@escapement/operations';
import type { QueueCounts } from '@escapement/queue';
import { by } from '@escapement/testkit';
import { testFleet } from '@escapement/testkit/fleet';
import { expect, it } from 'vitest';
import { createQueueCount } from '../src/reconciler/queue-count.ts';

const fleet = await testFleet();
await fleet.save({ name: 'counted', pool: 'counted', handler: { type: 'http', url: 'https://example.com' } });

const EMPTY: QueueCounts = { waiting: 0, delayed: 0, active: 0, repeats: 0, bundled: 0 };

/** How many resyncs were requested, and how often too much was found, where the queue of pool `counted` has so much and no run is queued. */
async function countedWith(counts: Partial<QueueCounts>, resyncRequest?: number) {
  let excesses = 0;
  const { step, queues, queued } = createQueueCount(
    {
      db: fleet.db,
      clock: new ManualClock(),
      queue: { ...fleet.queue, counts: async () => ({ counted: { ...EMPTY, ...counts } }) },
    },
    { resyncRequest },
    () => {
      excesses += 1;
    },
  );
  const before = await requested();
  expect(await step.heal()).toEqual({ counts: {}, more: false });
  return { resyncs: (await requested()) - before, excesses, queues: queues(), queued: queued() };
}

async function requested(): Promise<number> {
  await fleet.db.pool.query(
    `INSERT INTO queue_watch (namespace, marker, server) VALUES ('default', 'm', 's') ON CONFLICT DO NOTHING`,
  );
  const { rows } = await fleet.db.pool.query<{ n: number }>('SELECT resync_requested AS n FROM queue_watch');
  return rows[0]?.n ?? 0;
}

it('knows the queues that there are', async () => {
  expect((await countedWith({})).queues).toContain('counted');
});

it('requests a resync where more than 1,000 runs are missing', async () => {
  expect(await countedWith({ repeats: 1000 })).toMatchObject({ resyncs: 0, excesses: 0 });
  expect(await countedWith({ repeats: 1001 })).toMatchObject({ resyncs: 1, excesses: 0 });
});

it.each<Partial<QueueCounts>>([
  { waiting: 1001 },
  { delayed: 1001 },
  { active: 1001 },
  { bundled: 1001 },
  { waiting: 400, delayed: 400, active: 300, repeats: 99 },
])('has all looked through where there are more than 1,000 too many: %j', async (counts) => {
  expect(await countedWith(counts)).toMatchObject({ resyncs: 0, excesses: 1 });
});

it('lets 1,000 too many pass', async () => {
  expect(await countedWith({ waiting: 1000 })).toMatchObject({ resyncs: 0, excesses: 0 });
});

it('expects as many jobs as runs are queued, and lets those be there whose runs are running', async () => {
  const ids: string[] = [];
  for (let count = 0; count < 5; count++) ids.push(await triggerTask(fleet.db, 'counted', { by: by('test') }));
  const set = (text: string) => fleet.db.pool.query(`UPDATE run SET ${text} WHERE id = ANY ($1)`, [ids]);
  await set(`state = 'queued', dispatch = 1`);
  expect(await countedWith({ repeats: 995 })).toMatchObject({ resyncs: 0, excesses: 0 });
  expect(await countedWith({ repeats: 996 })).toMatchObject({ resyncs: 1, excesses: 0, queued: 5 });
  expect(await countedWith({ waiting: 1005 })).toMatchObject({ resyncs: 0, excesses: 0 });
  expect(await countedWith({ waiting: 1006 })).toMatchObject({ resyncs: 0, excesses: 1 });
  await set(`state = 'running', attempt = 1, started_at = now(), worker = 'w', fence = 1`);
  expect(await countedWith({ repeats: 1000 })).toMatchObject({ resyncs: 0, excesses: 0 });
  expect(await countedWith({ waiting: 1005 })).toMatchObject({ resyncs: 0, excesses: 0 });
  expect(await countedWith({ waiting: 1006 })).toMatchObject({ resyncs: 0, excesses: 1 });
  await fleet.db.pool.query('DELETE FROM run WHERE id = ANY ($1)', [ids]);
});

it('says nothing while all is compared in any case', async () => {
  expect(await countedWith({ repeats: 5000, waiting: 10_000 }, 7)).toMatchObject({ resyncs: 0, excesses: 0 });
});

it('counts every five seconds', async () => {
  const clock = new ManualClock();
  let counted = 0;
  const { step } = createQueueCount(
    {
      db: fleet.db,
      clock,
      queue: {
        ...fleet.queue,
        async counts() {
          counted += 1;
          return {};
        },
      },
    },
    { resyncRequest: undefined },
    () => undefined,
  );
  const seen: number[] = [];
  for (const ms of [0, 5 * SECOND - 1, 1, 1]) {
    clock.advance(ms);
    await step.heal();
    seen.push(counted);
  }
  expect(seen).toEqual([1, 1, 2, 2]);
});
