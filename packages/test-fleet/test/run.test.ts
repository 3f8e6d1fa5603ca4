import { DAY, HOUR, MINUTE } from '@escapement/core';
import { cron, defineTask } from '@escapement/sdk';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { testFleet } from './fleet.ts';

const sent: string[] = [];
const greet = defineTask({
  name: 'greet',
  payload: z.object({ to: z.string() }),
  state: z.object({ greeted: z.int() }).default({ greeted: 0 }),
  run({ to }, ctx) {
    sent.push(to);
    ctx.state.greeted += 1;
    ctx.log.info('greeted', { to });
    return { at: ctx.run.startedAt };
  },
});

const sprint = defineTask({
  name: 'sprint',
  schedule: cron('0 9 * * *', 'UTC'),
  run(_, ctx) {
    ctx.scheduleNext(new Date(ctx.run.scheduledFor.getTime() + 10 * DAY + 3 * HOUR));
  },
});

const holder = defineTask({
  name: 'holder',
  key: 'door',
  retry: { maxAttempts: 2, backoff: { kind: 'fixed', delayMs: 1 * HOUR } },
  run(_, ctx) {
    if (ctx.run.attempt === 1) throw new Error('not yet');
  },
});
const patient = defineTask({
  name: 'patient',
  key: 'door',
  overlap: { policy: 'wait-all', maxWaitMs: 10 * MINUTE },
  run: () => undefined,
});

const fleet = await testFleet({
  tasks: [greet, sprint, holder, patient, { name: 'line', handler: { type: 'shell', command: 'echo from the shell' } }],
  now: '2026-01-01T12:00:00Z',
});

test('a task has the fakes of the test, whatever its isolation', async () => {
  const run = await fleet.trigger(greet, { to: 'Ada' });
  expect(run).toMatchObject({ state: 'succeeded', origin: 'trigger' });
  expect(sent).toEqual(['Ada']);
});

test('its time, its log and its state are those of the fleet', async () => {
  const run = await fleet.trigger(greet, { to: 'Grace' });
  expect(await fleet.log(run)).toMatch(/^2026-01-01T12:0\d:\d\d\.\d{3}Z INFO {2}greeted {"to":"Grace"}\n$/);
  expect(run.output).toEqual({ at: expect.stringMatching(/^2026-01-01T12:0/) });
  expect(await fleet.state(greet)).toEqual({ greeted: 2 });
  expect(await fleet.state('sprint')).toBeUndefined();
});

test('a payload that does not fit fails the run', async () => {
  // @ts-expect-error a number is no name
  expect(await fleet.trigger(greet, { to: 5 })).toMatchObject({ state: 'failed', error: { name: 'PayloadError' } });
});

test('a shell task runs its line', async () => {
  const run = await fleet.trigger('line');
  expect(run).toMatchObject({ state: 'succeeded', exitCode: 0 });
  expect(await fleet.log(run)).toBe('from the shell\n');
});

test('a run that waits for its key no longer than it may is skipped at that time, not at the next', async () => {
  await fleet.trigger(holder);
  const { id } = await fleet.trigger(patient);
  await fleet.advance('2h');
  const [skipped] = await fleet.runs(patient);
  const waitedMs = (skipped?.finishedAt?.getTime() ?? 0) - (skipped?.waitingSince?.getTime() ?? 0);
  expect(skipped).toMatchObject({ id, state: 'skipped' });
  expect(waitedMs).toBeGreaterThanOrEqual(10 * MINUTE);
  expect(waitedMs).toBeLessThan(11 * MINUTE);
  expect(await fleet.runs(holder)).toMatchObject([{ state: 'succeeded', attempt: 2 }]);
});

test('an unknown task is refused, with what there is to do', async () => {
  await expect(fleet.trigger('nobody')).rejects.toMatchObject({ code: 'unknown_task' });
});
