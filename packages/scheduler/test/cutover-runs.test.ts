import { eventually } from '@escapement/testkit';
import { testFleet } from '@escapement/testkit/fleet';
import { expect, it } from 'vitest';
import { lineOfCron } from './line-of-cron.ts';

const fleet = await testFleet();

it('what was held until its host has answered runs, late and in order, each once; what is due from then on, in time', async () => {
  const line = await lineOfCron(fleet);
  await line.pass(3);
  await line.plan();
  await line.talk();
  await line.ask('fleet');
  await line.talk('up', 'down');
  await line.pass(6);
  await line.plan();
  const ran: Date[] = [];
  await fleet.startWorker(async ({ run }) => {
    ran.push(run.scheduledFor);
    return { status: 'succeeded' };
  });
  await fleet.dispatcher.runOnce();
  expect((await line.rows()).filter(({ state }) => state === 'held').length).toBeGreaterThan(2);
  await line.talk();
  await fleet.dispatcher.runOnce();
  const open = async () => (await line.rows()).filter(({ state }) => !['skipped', 'succeeded'].includes(state)).length;
  await eventually(async () => expect(await open()).toBe(0));
  expect(ran).toEqual(ran.toSorted((one, other) => one.getTime() - other.getTime()));
  const who = await line.whoRan();
  expect(who.join('')).toMatch(/^c+f+$/);
  // A minute may begin meanwhile, whose run the host has not heard of.
  const heardOf = ran.filter((at) => at.getTime() <= (line.host.fires.at(-1) ?? 0));
  expect(heardOf.length).toBe(who.filter((each) => each === 'f').length);
});
