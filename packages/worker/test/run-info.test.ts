import { type RunInfo, SECOND } from '@escapement/core';
import { nextFire, parseSchedule, type ScheduleSpec } from '@escapement/core/schedule';
import { triggerTask } from '@escapement/operations';
import { by } from '@escapement/testkit';
import { testFleet } from '@escapement/testkit/fleet';
import { expect, it } from 'vitest';

const fleet = await testFleet();
const told = new Map<string, RunInfo>();
await fleet.startWorker(async ({ run }) => {
  told.set(run.taskName, run);
  return { status: 'succeeded' };
});

async function toldOf(name: string, schedule: ScheduleSpec) {
  await fleet.save({ name, schedule, timeoutMs: 90 * SECOND });
  const ended = fleet.event('run_finished', ({ task }) => task === name);
  await triggerTask(fleet.db, name, { by: by('test') });
  await fleet.dispatcher.runOnce();
  await ended;
  const run = told.get(name);
  if (!run) throw new Error(`${name} was not run`);
  return run;
}

it('a handler is told when its task is due next, as its attempt begins, and its time limit', async () => {
  const yearly = { kind: 'cron', expression: '0 0 1 1 *', timeZone: 'UTC' } as const;
  const { nextAt, startedAt, timeoutMs } = await toldOf('yearly', yearly);
  expect(nextAt).toEqual(nextFire(parseSchedule(yearly), startedAt));
  expect(timeoutMs).toBe(90 * SECOND);
});

it.each([{ kind: 'manual' }, { kind: 'fixed-delay', delayMs: 3_600_000 }] as const)(
  'a task with a $kind schedule is not due before its end',
  async (schedule) => {
    expect((await toldOf(schedule.kind, schedule)).nextAt).toBeNull();
  },
);
