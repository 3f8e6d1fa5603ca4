import { SECOND, type TaskDefinition, taskDefinition } from '@escapement/core';
import { expect, test } from 'vitest';
import { type Ending, mayWait } from './may-wait.ts';

const AT = new Date('2026-03-04T05:00:00Z');
const run: Ending['run'] = { origin: 'schedule', batchId: null, scheduledFor: AT };
const verdict: Ending['verdict'] = { to: 'succeeded', reason: '', lost: false, uncounted: false };

type Changes = Partial<Omit<Ending, 'task'>> & { task?: Partial<TaskDefinition>; afterMs?: number };

/** The end of a run, `afterMs` after its occurrence, of a task that is due each second. */
function mayEndLater({ task = {}, afterMs = 100, ...changes }: Changes = {}): boolean {
  const definition = taskDefinition.parse({
    name: 't',
    schedule: { kind: 'every', everyMs: SECOND },
    handler: { type: 'shell', command: 'true' },
    ...task,
  });
  return mayWait({
    run,
    task: { name: 't', definition, savedBy: { kind: 'user', id: 'ann', name: 'ann' } },
    overlap: 'skip',
    verdict,
    now: new Date(AT.getTime() + afterMs),
    ...changes,
  });
}

test('the end of a scheduled run that succeeded may wait', () => {
  expect(mayEndLater()).toBe(true);
  expect(mayEndLater({ overlap: 'allow' })).toBe(true);
});

test.each<[string, Changes]>([
  ['somebody has asked for the run', { run: { ...run, origin: 'trigger' } }],
  ['it belongs to a backfill', { run: { ...run, origin: 'backfill' } }],
  ['a batch counts it', { run: { ...run, batchId: 'b' } }],
  ['it has failed', { verdict: { ...verdict, to: 'failed' } }],
  ['it is tried again', { verdict: { ...verdict, to: 'retrying' } }],
  ['it leaves something behind', { verdict: { ...verdict, effects: {} } }],
  ['it runs at most once', { task: { delivery: 'at-most-once' } }],
  ['a task follows it', { task: { onSuccess: 'next' } }],
  ['its next occurrence counts from its end', { task: { schedule: { kind: 'fixed-delay', delayMs: SECOND } } }],
  ['runs of its key wait', { overlap: 'wait-all' }],
  ['the newest run of its key takes its place', { overlap: 'replace' }],
  ['runs of its key wait before they are skipped', { task: { overlap: { policy: 'skip', skipAfterMs: SECOND } } }],
  ['other tasks may have its key', { task: { key: 'shared' } }],
  ['the next occurrence is close', { afterMs: 950 }],
  ['the next occurrence has passed', { afterMs: 1500 }],
  ['the time of Postgres is not known', { now: null }],
])('it may not wait if %s', (_, changes) => {
  expect(mayEndLater(changes)).toBe(false);
});

test('runs that overlap leave no key behind, whatever comes next', () => {
  expect(mayEndLater({ overlap: 'allow', afterMs: 999, task: { key: 'shared' } })).toBe(true);
});
