import { expect, test } from 'vitest';
import { codeNeed, needsCode, parseQueue, queueName, queuesOf } from './queue-name.ts';
import { unservedAdvice, unservedReason } from './unserved.ts';

const SHELL = { pool: 'db1', need: 'shell', app: null, workers: ['w1', 'w2'], drained: [], others: [] };

test('a queue is a pool and a need, and says both', () => {
  const needs = [null, 'shell', 'code', codeNeed('@shop/jobs/src/tasks, or: anything #1')];
  for (const need of needs) {
    const queue = queueName('db-1', need);
    expect(parseQueue(queue)).toEqual({ pool: 'db-1', need });
    // BullMQ takes no colon; braces would move the hash tag; what follows a # is for a shard.
    expect(queue).toMatch(/^[a-z0-9_+.-]+$/);
  }
  expect(needs.map(needsCode)).toEqual([false, false, true, true]);
  expect(queuesOf(['a', 'b'], ['shell'])).toEqual(['a', 'a+shell', 'b', 'b+shell']);
});

test('says what is missing, and who has it', () => {
  expect(unservedReason({ ...SHELL, need: null, workers: [] })).toBe('no worker of the pool "db1" is alive');
  expect(unservedReason(SHELL)).toBe('none of the 2 workers of the pool "db1" may use the shell');
  expect(unservedReason({ ...SHELL, workers: ['w1'] })).toBe(
    'w1, the one worker of the pool "db1", may not use the shell',
  );
  expect(unservedAdvice(SHELL)).toBe('start a worker with ESCAPEMENT_POOLS=db1 and ESCAPEMENT_ALLOW_SHELL=true');
  const code = { ...SHELL, need: codeNeed('shop/tasks'), app: 'shop/tasks' };
  expect(unservedReason(code)).toBe('none of the 2 workers of the pool "db1" has the code of shop/tasks');
  expect(unservedAdvice({ ...code, others: [{ id: 'w9', pools: ['eu', 'us'] }] })).toBe(
    'start a worker with ESCAPEMENT_POOLS=db1 that has shop/tasks in ESCAPEMENT_TASKS, or give the task a pool whose workers can (w9 of eu, us)',
  );
  expect(unservedReason({ ...code, need: 'code', app: null })).toContain(
    'has its code, and no application is known that had it',
  );
  const broken = { ...code, need: 'code' };
  expect(unservedReason(broken)).toBe(
    'none of the 2 workers of the pool "db1" has it in its code of shop/tasks: its module could not be loaded, or is gone',
  );
  expect(unservedAdvice(broken)).toMatch(
    /^see in the log of w1 why the module could not be loaded, and correct it, or start a worker /,
  );
});

test('says of workers that could take it that they are being drained', () => {
  const drained = { ...SHELL, drained: ['w1'] };
  expect(unservedReason(drained)).toBe('w1 of the pool "db1" is being drained, and no other worker can take it');
  expect(unservedAdvice(drained)).toMatch(
    /^`escapement workers resume w1`, or start a worker with ESCAPEMENT_POOLS=db1/,
  );
});
