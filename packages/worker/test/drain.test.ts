import { listWorkers, triggerTask } from '@escapement/operations';
import { auditEntries, drainWorker, resumeWorker } from '@escapement/store';
import { by } from '@escapement/testkit';
import { testFleet } from '@escapement/testkit/fleet';
import { expect, it } from 'vitest';

const fleet = await testFleet();
const LIVING = { deadMs: 10_000 };

it('a worker that is drained ends what it has, takes nothing new and says when it is empty; resumed, it goes on', async () => {
  await fleet.save({ name: 'work', overlap: 'allow' });
  const trigger = () => triggerTask(fleet.db, 'work', { by: by('test') });
  let let_go = () => {};
  const held = new Promise<void>((resolve) => {
    let_go = resolve;
  });
  let started = 0;
  const worker = await fleet.startWorker(async () => {
    started += 1;
    await held;
    return { status: 'succeeded' };
  });
  await trigger();
  await fleet.dispatcher.runOnce();
  await expect.poll(() => started).toBe(1);
  const drainOf = async () => (await listWorkers(fleet.db, LIVING))[0]?.drain;
  const [{ id = '' } = {}] = await listWorkers(fleet.db, LIVING);

  expect(await drainWorker(fleet.db, id, by('ann', 'new kernel'))).toBe(true);
  expect(await drainWorker(fleet.db, id, by('bob'))).toBe(false);
  await worker.heartbeat.runOnce();
  for (let made = 0; made < 5; made++) await trigger();
  await fleet.dispatcher.runOnce();
  await worker.heartbeat.runOnce();
  expect(await drainOf()).toMatchObject({ askedBy: 'ann', note: 'new kernel', isEmpty: false });

  let_go();
  await expect
    .poll(async () => {
      await worker.heartbeat.runOnce();
      return (await drainOf())?.isEmpty;
    })
    .toBe(true);
  expect(started).toBe(1);
  expect((await fleet.runs('work')).map(({ state }) => state).sort()).toEqual([
    ...Array.from({ length: 5 }, () => 'queued'),
    'succeeded',
  ]);

  expect(await resumeWorker(fleet.db, id, by('ann'))).toBe(true);
  await worker.heartbeat.runOnce();
  await expect
    .poll(async () => (await fleet.runs('work')).filter(({ state }) => state === 'succeeded').length, {
      timeout: 20_000,
    })
    .toBe(6);
  expect(
    (await auditEntries(fleet.db, { worker: id })).map(({ action, principal }) => [action, principal.name]),
  ).toEqual([
    ['resume', 'ann'],
    ['drain', 'ann'],
  ]);
});
