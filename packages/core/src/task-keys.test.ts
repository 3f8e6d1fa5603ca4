import { expect, test } from 'vitest';
import { nearestTaskKey } from './task-keys.ts';

test.each([
  [[], 'timoutMs', 'timeoutMs'],
  [[], 'shedule', 'schedule'],
  [['schedule'], 'timezone', 'timeZone'],
  [['schedule', 'dst'], 'gaps', 'gap'],
  [['handler'], 'comand', 'command'],
  [['retry', 'backoff'], 'delay', 'delayMs'],
  [[], 'zzzzzzzz', undefined],
  [['overlap'], 'maxWaitings', 'maxWaiting'],
  [['overlap'], 'maxWaiting', undefined],
])('at %j, %s is near to %s', (path, key, near) => {
  expect(nearestTaskKey(path, key)).toBe(near);
});
