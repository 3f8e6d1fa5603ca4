import { describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { defineTask, isTaskModule } from './define-task.ts';
import { cron, every } from './schedule.ts';

describe('defineTask', () => {
  test('gives a task with the definition that is saved', () => {
    const task = defineTask({
      name: 'send-reminders',
      schedule: cron('0 9 * * MON-FRI', 'Europe/Berlin'),
      payload: z.object({ days: z.int() }),
      defaultPayload: { days: 3 },
      timeoutMs: 5000,
      run: () => undefined,
    });
    expect(isTaskModule(task)).toBe(true);
    expect(task.toDefinition()).toEqual({
      name: 'send-reminders',
      schedule: { kind: 'cron', expression: '0 9 * * MON-FRI', timeZone: 'Europe/Berlin' },
      handler: { type: 'code', name: 'send-reminders' },
      payload: { days: 3 },
      timeoutMs: 5000,
    });
  });

  test('says where it runs, and with how much memory', () => {
    const handlerOf = (options: { isolation?: 'process' | 'inline'; memoryLimitMb?: number }) =>
      defineTask({ name: 'isolated', run: () => 1, ...options }).toDefinition().handler;
    expect(handlerOf({ memoryLimitMb: 64 })).toEqual({ type: 'code', name: 'isolated', memoryLimitMb: 64 });
    expect(handlerOf({ isolation: 'inline' })).toEqual({ type: 'code', name: 'isolated', isolation: 'inline' });
    expect(() => handlerOf({ isolation: 'inline', memoryLimitMb: 64 })).toThrow(
      /memoryLimitMb: a limit needs a process of the task's own/,
    );
  });

  test('passes the options that every task has on as they are', () => {
    const options = {
      name: 'all',
      description: 'what it is for',
      schedule: every(60_000),
      calendars: { exclude: ['holidays'] },
      key: 'invoice:{{kind}}',
      limit: 2,
      overlap: 'wait-all' as const,
      timeoutMs: 5000,
      heartbeatTimeoutMs: 2000,
      startDeadlineMs: 3000,
      misfireThresholdMs: 1000,
      catchUp: { policy: 'all' as const },
      retry: { maxAttempts: 3, backoff: { kind: 'fixed' as const, delayMs: 100 } },
      delivery: 'at-most-once' as const,
      maxLost: 2,
      pool: 'printers',
      onFleetStart: true,
      notify: { email: ['ops@example.com'] },
      retentionDays: 7,
    };
    const { handler, ...passed } = defineTask({ ...options, run: () => 1 }).toDefinition();
    expect(passed).toEqual(options);
    expect(handler).toEqual({ type: 'code', name: 'all' });
  });

  test('infers payload and output', () => {
    const task = defineTask({
      name: 'typed',
      payload: z.object({ days: z.coerce.number(), to: z.string().optional() }),
      async run(payload, ctx) {
        expectTypeOf(payload).toEqualTypeOf<{ days: number; to?: string | undefined }>();
        expectTypeOf(ctx.run.fence).toEqualTypeOf<bigint>();
        return { sent: payload.days };
      },
    });
    expectTypeOf(task.run).returns.toEqualTypeOf<{ sent: number } | Promise<{ sent: number }>>();
    expectTypeOf(defineTask({ name: 'untyped', run: (payload) => expectTypeOf(payload).toBeUnknown() })).not.toBeAny();
  });

  test('checks the type of the default payload', () => {
    // @ts-expect-error days is missing
    const task = defineTask({ name: 'x', payload: z.object({ days: z.int() }), defaultPayload: {}, run: () => 1 });
    expect(isTaskModule(task)).toBe(true);
  });

  test.each([
    ['a bad name', { name: 'no spaces please' }, 'name: 1 to 200 letters'],
    ['no name', {}, 'defineTask for a task without a name: name'],
    ['an unknown option, with the nearest', { name: 'x', timeout: 5 }, '"timeout" (did you mean timeoutMs?)'],
    ['a bad limit', { name: 'x', limit: 0 }, 'limit: '],
    ['no function', { name: 'x', run: undefined }, 'run: a function is expected'],
    ['data where a schema belongs', { name: 'x', payload: { days: 3 } }, 'constant data goes into defaultPayload'],
  ])('refuses %s', (_, options, message) => {
    expect(() => Reflect.apply(defineTask, undefined, [{ run: () => 1, ...options }])).toThrow(
      expect.objectContaining({ code: 'bad_task', message: expect.stringContaining(message) }),
    );
  });

  test('a change of what toDefinition gave does not reach the task', () => {
    const task = defineTask({ name: 'x', run: () => 1 });
    task.toDefinition().name = 'y';
    expect(task.toDefinition().name).toBe('x');
  });
});

test('isTaskModule knows a task from other values', () => {
  expect([undefined, null, 1, {}, () => 1].some(isTaskModule)).toBe(false);
});

test('every says a grid in milliseconds', () => {
  expect(every(5000, { phaseMs: 1000 })).toEqual({ kind: 'every', everyMs: 5000, phaseMs: 1000 });
});
