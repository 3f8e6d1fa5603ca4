import { type Clock, DAY, type EngineEvent, HOUR, systemClock } from '@escapement/core';
import { triggerTask } from '@escapement/operations';
import { by, eventually } from '@escapement/testkit';
import { HORIZON_MS, halfway, testFleet, wasDue } from '@escapement/testkit/fleet';
import { createWorker } from '@escapement/worker';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { createScheduler } from '../src/index.ts';

/** Its own processes have good clocks. */
const fleet = await testFleet();

let aheadMs = 0;
let events: EngineEvent[] = [];
/** The clock of the process that is looked at. */
const clock: Clock = {
  now: () => new Date(systemClock.now().getTime() + aheadMs),
  monotonicMs: systemClock.monotonicMs,
};

beforeEach(() => {
  aheadMs = 0;
  events = [];
});

const told = (name: EngineEvent['event']) => events.filter(({ event }) => event === name).length;

const common = {
  db: fleet.db,
  redis: fleet.redis,
  leaseMs: 10_000,
  horizonMs: HORIZON_MS,
  maxClockOffsetMs: 500,
  clock,
  emit: (event: EngineEvent) => void events.push(event),
  onError: () => undefined,
};

it('a scheduler whose clock is off plans nothing until it is right', async () => {
  aheadMs = -HOUR;
  const process = { id: 'off', role: 'scheduler', host: 'test', pid: 1, appVersion: '0', pools: [] } as const;
  const scheduler = createScheduler({ ...common, process });
  onTestFinished(() => scheduler.stop());
  await fleet.save({ name: 'daily', pool: 'unserved', schedule: halfway(DAY) });
  await wasDue(fleet.db, 'daily', 100);
  await scheduler.start();
  await eventually(() => expect(told('clock_off')).toBe(1));
  expect(await fleet.runs('daily')).toEqual([]);
  expect(scheduler.lastPlannedMs()).toBeUndefined();
  aheadMs = 0;
  await eventually(async () => expect(await fleet.runs('daily')).toMatchObject([{ state: 'queued' }]));
  await eventually(() => expect(scheduler.lastPlannedMs()).toBeDefined());
  await eventually(() => expect(told('clock_ok')).toBe(1));
});

it('a worker takes no more runs from the moment its clock is set, and takes them again when it is right', async () => {
  const executed: string[] = [];
  const process = {
    id: 'set',
    role: 'worker',
    host: 'test',
    pid: 1,
    appVersion: '0',
    pools: ['default'],
    offers: ['shell'],
  } as const;
  const worker = createWorker({
    ...common,
    process,
    concurrency: 5,
    handlers:
      () =>
      async ({ run }) => {
        executed.push(run.id);
        return { status: 'succeeded' };
      },
  });
  onTestFinished(() => worker.stop(0));
  await worker.start();
  await fleet.save({ name: 'by-hand', overlap: { policy: 'allow' } });
  const run = async () => {
    const id = await triggerTask(fleet.db, 'by-hand', { by: by('test') });
    await fleet.dispatcher.runOnce();
    return id;
  };
  const first = await run();
  await eventually(() => expect(executed).toEqual([first]));
  aheadMs = 5000;
  expect(worker.heartbeat.clockOk()).toBe(false);
  await eventually(() => expect(told('clock_off')).toBe(1));
  const second = await run();
  await eventually(async () => {
    const counts = await fleet.queue.counts(['default+shell']);
    expect(counts['default+shell']).toMatchObject({ waiting: 1, active: 0 });
  });
  expect(executed).toEqual([first]);
  aheadMs = 0;
  await eventually(() => expect(executed).toEqual([first, second]));
});
