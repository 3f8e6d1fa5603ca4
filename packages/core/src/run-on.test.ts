import { expect, it } from 'vitest';
import { DAY, HOUR, MINUTE } from './clock.ts';
import { awaitedUntil } from './plan/awaited-until.ts';
import { needOn, offersUnder, queuesOf, splitNeed } from './queue-name.ts';
import { newRunId, runIdOn, scheduledForOf } from './run-id.ts';
import { awayWords, goneReason, keyOn, runOnProblems, WORKER_NAME, workerNameOf, workerWords } from './run-on.ts';
import { taskDefinition } from './task.ts';

const runOn = 'every-worker' as const;

it('a need names the worker behind what any worker needs, and gives both back', () => {
  for (const ability of [null, 'shell', 'code.3f2a9c0d1e4b', 'code'])
    expect(splitNeed(needOn(ability, 'web-1'))).toEqual({ ability, worker: 'web-1' });
  expect(splitNeed(null)).toEqual({ ability: null, worker: null });
  expect(splitNeed('shell')).toEqual({ ability: 'shell', worker: null });
});

it('a worker serves what any one may take, and its own', () => {
  expect(queuesOf(['db'], offersUnder('web-1', ['shell']))).toEqual(['db', 'db+shell', 'db+@web-1', 'db+shell@web-1']);
});

it('a worker without a name is called as its host, as far as that is a name', () => {
  expect(workerNameOf('web-1.example')).toBe('web-1.example');
  expect(workerNameOf('-odd host+')).toBe('odd-host-');
  expect(workerNameOf('++')).toBe('worker');
  for (const host of ['web-1', '-odd host+', '++', 'x'.repeat(200)]) expect(workerNameOf(host)).toMatch(WORKER_NAME);
});

it('keys and ids of the workers differ, and are the same each time', () => {
  const id = newRunId(new Date('2026-01-30T03:00:00Z'));
  expect(keyOn('rotate', 'web-1')).toBe('rotate#web-1');
  expect(runIdOn(id, 'web-1')).toBe(runIdOn(id, 'web-1'));
  expect(runIdOn(id, 'web-1')).not.toBe(runIdOn(id, 'web-2'));
  expect(scheduledForOf(runIdOn(id, 'web-1'))).toEqual(scheduledForOf(id));
});

it.each([
  ['schedule.kind', { schedule: { kind: 'fixed-delay', delayMs: 1000 } }],
  ['schedule.maxRuns', { schedule: { kind: 'every', everyMs: MINUTE, maxRuns: 3 } }],
  ['pauseAfterFailures', { pauseAfterFailures: 3 }],
  ['onFleetStart', { onFleetStart: true }],
])('%s is refused, with what to do', (path, given) => {
  const task = { name: 'x', handler: { type: 'shell', command: 'true' }, runOn, ...given };
  const issues = taskDefinition.safeParse(task).error?.issues ?? [];
  expect(issues.map((issue) => issue.path.join('.'))).toEqual([path]);
  expect(issues[0]?.message).toMatch(/use |leave it out/);
  expect(taskDefinition.safeParse({ ...task, runOn: undefined }).success).toBe(true);
});

it('all else goes with it', () => {
  const given = {
    key: 'k',
    limit: 2,
    rate: { limit: 1, perMs: 1000 },
    overlap: { policy: 'wait-all' },
    catchUp: 'all',
  };
  const task = { name: 'x', handler: { type: 'shell', command: 'true' }, runOn, ...given };
  expect(taskDefinition.safeParse(task).success).toBe(true);
  expect(runOnProblems({ schedule: { kind: 'fixed-delay' } })).toEqual([]);
});

it('a caught-up run waits for its worker as long as its policy would catch it up, a day at most', () => {
  const at = new Date('2026-01-30T03:00:00Z');
  const forMs = (...given: [Parameters<typeof awaitedUntil>[1], number | null]) =>
    awaitedUntil(at, ...given).getTime() - at.getTime();
  expect(forMs(undefined, HOUR)).toBe(HOUR);
  expect(forMs(undefined, 7 * DAY)).toBe(DAY);
  expect(forMs(undefined, null)).toBe(DAY);
  expect(forMs({ policy: 'latest', withinMs: 3 * HOUR }, HOUR)).toBe(3 * HOUR);
  expect(forMs({ policy: 'all' }, HOUR)).toBe(DAY);
  expect(forMs({ policy: 'ask', withinMs: 2 * DAY }, HOUR)).toBe(DAY);
});

it('words name the worker, and since when it is away', () => {
  const away = { heardAt: '2026-01-30T03:00:00.000Z' };
  expect(workerWords('web-1', null)).toBe('worker web-1');
  expect(workerWords('web-1', away)).toBe('worker web-1, which was away since 2026-01-30T03:00:00.000Z,');
  expect(awayWords({ heardAt: null })).toBe('away');
  expect(goneReason('web-1', away, 0)).toBe(
    'it belongs to worker web-1, which is away since 2026-01-30T03:00:00.000Z and no longer expected',
  );
  expect(goneReason('web-1', { heardAt: null }, 2)).toContain('its attempt 2 did not end there');
});
