import { expect, test } from 'vitest';
import { groupLeaseCommands } from './lease-groups.ts';
import type { LeaseCommand, LeaseReply } from './lease-scripts.ts';

/** Groups on a Redis that does as told, and the bases of each call. */
function setUp(redis: (bases: string[]) => LeaseReply[] | Promise<LeaseReply[]>) {
  const calls: string[][] = [];
  const send = groupLeaseCommands({
    async carryOut(commands) {
      const bases = commands.map((command) => (command.op === 'acquire' ? command.base : command.redisKey));
      calls.push(bases);
      return await redis(bases);
    },
    isAnswer: (error) => error instanceof Error && error.message.startsWith('ERR'),
  });
  return { calls, send };
}

function acquire(base: string, limit = 1): LeaseCommand {
  return { op: 'acquire', base, limit, value: 'v' };
}

const lengths = (calls: readonly string[][]) => calls.map((bases) => bases.length);

test('what is asked in one turn of the event loop shares a call, and each gets its own answer', async () => {
  const { calls, send } = setUp((bases) => bases.map(Number));
  const later = Promise.resolve().then(() => send(acquire('3')));
  expect(await Promise.all([send(acquire('1')), send(acquire('2')), later])).toEqual([1, 2, 3]);
  await send(acquire('4'));
  expect(calls).toEqual([['1', '2', '3'], ['4']]);
});

test('a turn does not wait for the answer to another', async () => {
  const { calls, send } = setUp(() => new Promise(() => undefined));
  void send(acquire('1'));
  await new Promise(setImmediate);
  void send(acquire('2'));
  await new Promise(setImmediate);
  expect(calls).toEqual([['1'], ['2']]);
});

test('no call looks at more than 200 slots, unless one key alone has more', async () => {
  const { calls, send } = setUp((bases) => bases.map(() => 1));
  await Promise.all(Array.from({ length: 450 }, () => send(acquire('k'))));
  expect(lengths(calls.splice(0))).toEqual([200, 200, 50]);
  await Promise.all([acquire('a', 150), acquire('b', 60), acquire('c', 1000), acquire('d')].map(send));
  expect(calls).toEqual([['a'], ['b'], ['c'], ['d']]);
});

test('where Redis refuses a call each is tried alone, and only the bad one fails', async () => {
  const { calls, send } = setUp((bases) => {
    if (bases.includes('bad')) throw new Error('ERR bad');
    return bases.map(() => 1);
  });
  const asked = ['good', 'bad', 'better'].map((base) => send(acquire(base)));
  expect(await Promise.allSettled(asked)).toMatchObject([
    { value: 1 },
    { reason: { message: 'ERR bad' } },
    { value: 1 },
  ]);
  expect(calls).toEqual([['good', 'bad', 'better'], ['good'], ['bad'], ['better']]);
});

test('where Redis does not answer all fail at once, and are not asked again', async () => {
  const { calls, send } = setUp(() => Promise.reject(new Error('gone')));
  const asked = await Promise.allSettled(['a', 'b'].map((base) => send(acquire(base))));
  expect(asked).toMatchObject([{ reason: { message: 'gone' } }, { reason: { message: 'gone' } }]);
  expect(calls).toEqual([['a', 'b']]);
});

test('a command without an answer fails', async () => {
  const { send } = setUp(() => [1]);
  const asked = await Promise.allSettled(['a', 'b'].map((base) => send(acquire(base))));
  expect(asked).toMatchObject([{ value: 1 }, { status: 'rejected' }]);
});

test('of two that Redis refuses together each is tried alone, too', async () => {
  const { calls, send } = setUp((bases) => {
    if (bases.includes('bad')) throw new Error('ERR bad');
    return bases.map(() => 1);
  });
  const asked = await Promise.allSettled(['bad', 'good'].map((base) => send(acquire(base))));
  expect(asked).toMatchObject([{ reason: { message: 'ERR bad' } }, { value: 1 }]);
  expect(calls).toEqual([['bad', 'good'], ['bad'], ['good']]);
});
