import type { Handler } from '@escapement/core';
import { triggerTask } from '@escapement/operations';
import { deleteLease, listLeases } from '@escapement/queue';
import { findRun, listKeySlots, releaseKeySlot } from '@escapement/store';
import { by } from '@escapement/testkit';
import { testFleet } from '@escapement/testkit/fleet';
import { expect, it } from 'vitest';

const fleet = await testFleet();

it('a run whose key was released is stopped, its result refused, and another starts at once', async () => {
  await fleet.save({ name: 'stuck' });
  const reasons: unknown[] = [];
  let giveUp: () => void = () => undefined;
  const stubborn = new Promise<void>((resolve) => {
    giveUp = resolve;
  });
  const started: { id: string; fence: bigint }[] = [];
  const handler: Handler = async ({ run, signal }) => {
    started.push({ id: run.id, fence: run.fence });
    if (started.length > 1) return { status: 'succeeded' };
    signal.addEventListener('abort', () => reasons.push(signal.reason));
    await stubborn;
    return { status: 'succeeded' };
  };
  await fleet.startWorker(handler);
  const first = await triggerTask(fleet.db, 'stuck', { by: by('test') });
  const begun = fleet.event('run_started', ({ run }) => run === first);
  await fleet.dispatcher.runOnce();
  await begun;

  const [slot] = await listKeySlots(fleet.db, { key: 'stuck', limit: 1 });
  if (!slot?.holder) throw new Error('nobody holds the key');
  const seen = { key: 'stuck', slot: 1, fence: slot.fence, runId: slot.holder.runId };
  expect(await releaseKeySlot(fleet.db, { seen, by: by('ann', 'hangs') })).toMatchObject({ kind: 'released' });
  const [lease] = await listLeases(fleet.connection, 'stuck');
  if (!lease) throw new Error('no lease');
  expect(await deleteLease(fleet.connection, lease)).toBe(true);

  const second = await triggerTask(fleet.db, 'stuck', { by: by('test') });
  const finished = fleet.event('run_finished', ({ run }) => run === second);
  await fleet.dispatcher.runOnce();
  expect(await finished).toMatchObject({ state: 'succeeded' });
  expect(started[1]?.fence).toBeGreaterThan(started[0]?.fence ?? 0n);

  await expect.poll(() => reasons).toEqual(['cancelled']);
  const refused = fleet.event('finish_refused', ({ run }) => run === first);
  giveUp();
  await refused;
  expect(await findRun(fleet.db, first)).toMatchObject({
    state: 'cancelled',
    reason: expect.stringContaining('hangs'),
  });
});
