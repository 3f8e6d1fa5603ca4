import { systemClock } from '@escapement/core';
import { triggerTask } from '@escapement/operations';
import type { RunQueue } from '@escapement/queue';
import { readQueueBlocks } from '@escapement/store';
import { by } from '@escapement/testkit';
import { testFleet } from '@escapement/testkit/fleet';
import { Queue } from 'bullmq';
import { expect, it } from 'vitest';
import { overdueRunsStep } from '../src/reconciler/overdue-runs.ts';

const fleet = await testFleet();
const NAME = 'default+shell';
const PREFIX = `esc:{default:${NAME}}`;

/** What bull-board and other programs do it with. */
function bull(): Queue {
  const { hostname, port, pathname } = new URL(fleet.redis.url);
  const connection = { host: hostname, port: Number(port), db: Number(pathname.slice(1) || '0') };
  return new Queue(NAME, { prefix: PREFIX, connection });
}

async function asAnother(action: (queue: Queue) => Promise<unknown>): Promise<void> {
  const queue = bull();
  await action(queue);
  await queue.close();
}

/** How a queue is blocked, after a pass that counts the queues and one that looks at them. */
async function blocks() {
  await fleet.reconcile();
  await fleet.reconcile();
  return (await readQueueBlocks(fleet.db)).map(({ queue, kind }) => `${queue} ${kind}`);
}

const told = () => fleet.events.flatMap((event) => (event.event === 'queue_blocked' ? [event.kind] : []));
const exists = (id: string) => fleet.queue.present([{ queue: NAME, runId: id, dispatch: 1 }]);

async function queued(task: string): Promise<string> {
  await fleet.save({ name: task });
  const id = await triggerTask(fleet.db, task, { by: by('test') });
  await fleet.dispatcher.runOnce();
  return id;
}

it('a queue that another program has paused is known with the time of it, told of once, and not resumed', async () => {
  await queued('paused');
  expect(await blocks()).toEqual([]);
  const before = systemClock.now();
  await asAnother((queue) => queue.pause());
  expect(await blocks()).toEqual([`${NAME} paused`]);
  await fleet.reconcile();
  expect(told()).toEqual(['paused']);
  const [block] = await readQueueBlocks(fleet.db);
  expect(Math.abs(Date.parse(block?.since ?? '') - before.getTime())).toBeLessThan(60_000);
  await asAnother((queue) => queue.resume());
  expect(await blocks()).toEqual([]);
  expect(fleet.events.map(({ event }) => event)).toContain('queues_open');
});

it('limits that another program has set in Redis are known', async () => {
  await asAnother(async (queue) => {
    await queue.setGlobalConcurrency(1);
    await queue.setGlobalRateLimit(1, 60_000);
  });
  expect(await blocks()).toEqual([`${NAME} concurrency`, `${NAME} rate`]);
  await asAnother(async (queue) => {
    await queue.removeGlobalConcurrency();
    await queue.removeGlobalRateLimit();
  });
  expect(await blocks()).toEqual([]);
});

it.each([
  ['drained', (queue: Queue) => queue.drain(true)],
  ['obliterated', (queue: Queue) => queue.obliterate({ force: true })],
])('a queue that another program has %s is filled again, and open', async (word, action) => {
  const id = await queued(word);
  expect(await exists(id)).toEqual([true]);
  await asAnother(action);
  expect(await exists(id)).toEqual([false]);
  await fleet.reconcile();
  expect(await exists(id)).toEqual([true]);
  expect(await blocks()).toEqual([]);
});

async function misfired(task: string): Promise<string> {
  const id = await queued(task);
  await fleet.db.pool.query(
    `UPDATE run SET due_at = now() - interval '2 h', misfire_at = now() - interval '1 h' WHERE id = $1`,
    [id],
  );
  return id;
}

it('a misfired run, whose job workers drop until it is judged, has no foreign worker', async () => {
  const id = await misfired('misfired');
  for (let time = 0; time < 4; time++) {
    await fleet.server.send('DEL', `${PREFIX}:${NAME}:r_${id}_1`);
    await fleet.reconcile();
  }
  expect(await blocks()).toEqual([]);
});

it('a misfired run whose job is in no list is left to its catch-up policy', async () => {
  const id = await misfired('misfired-and-stuck');
  await fleet.server.send('LREM', `${PREFIX}:${NAME}:wait`, '0', `r_${id}_1`);
  await fleet.reconcile();
  const { rows } = await fleet.db.pool.query('SELECT state, dispatch FROM run WHERE id = $1', [id]);
  // Under a second dispatch number it would begin, whatever the policy says.
  expect(rows).toEqual([{ state: 'queued', dispatch: 1 }]);
});

it('a queue whose jobs vanish again and again has a foreign worker', async () => {
  const id = await queued('eaten');
  await fleet.db.pool.query(`UPDATE run SET due_at = now() - interval '10 s' WHERE id = $1`, [id]);
  for (let time = 0; time < 3; time++) {
    await fleet.server.send('DEL', `${PREFIX}:${NAME}:r_${id}_1`);
    await fleet.reconcile();
    expect(await exists(id)).toEqual([true]);
  }
  expect(await blocks()).toEqual([`${NAME} taken`]);
});

it('a job that Redis does not take has not vanished, and one that it takes has', async () => {
  const id = await queued('refused');
  await fleet.db.pool.query(`UPDATE run SET due_at = now() - interval '10 s' WHERE id = $1`, [id]);
  await asAnother((queue) => queue.obliterate({ force: true }));
  const vanished: string[] = [];
  const pass = async (queue: RunQueue) => {
    const options = { ...fleet, queue, clock: systemClock, deadMs: 60_000, databaseNow: () => systemClock.now() };
    const step = overdueRunsStep(
      { ...options, emit: () => undefined },
      {
        add: (runs) => void vanished.push(...runs.map((run) => run.id)),
      },
    );
    return (await step.heal()).counts.missing_job;
  };
  const takesNone: RunQueue = {
    ...fleet.queue,
    add: async (jobs) => jobs.map(() => ({ ok: false, error: new Error('no room') })),
  };
  expect([await pass(takesNone), vanished.includes(id)]).toEqual([0, false]);
  expect(await pass(fleet.queue)).toBeGreaterThan(0);
  expect(vanished).toContain(id);
});
