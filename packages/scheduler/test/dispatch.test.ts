import { systemClock } from '@escapement/core';
import { triggerTask } from '@escapement/operations';
import { by } from '@escapement/testkit';
import { testFleet } from '@escapement/testkit/fleet';
import { expect, it } from 'vitest';
import { createDispatcher } from '../src/index.ts';

const fleet = await testFleet();

it('waits between two looks while the queue takes nothing, however much there is to do', async () => {
  await fleet.save({ name: 'many' });
  const id = await triggerTask(fleet.db, 'many', { by: by('ann') });
  await fleet.db.pool.query(
    `INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, key, key_limit,
       overlap, pool, need, due_at)
     SELECT gen_random_uuid(), r.scheduled_for, r.namespace, r.task_id, r.task_version, r.plan_epoch, r.origin, r.state,
       r.key, r.key_limit, r.overlap, r.pool, r.need, r.due_at
     FROM run r, generate_series(1, 1500) WHERE r.id = $1`,
    [id],
  );
  const full = { ...fleet.queue, add: async (jobs: readonly unknown[]) => jobs.map(() => REFUSED) };
  const dispatcher = createDispatcher({
    db: fleet.as.scheduler,
    queue: full,
    databaseNow: () => new Date(0),
    clock: systemClock,
    horizonMs: 10_000,
    emit: () => undefined,
    onError: () => undefined,
  });
  expect(await dispatcher.runOnce()).toBeGreaterThan(0);
});

const REFUSED = { ok: false, error: new Error('OOM command not allowed') } as const;
