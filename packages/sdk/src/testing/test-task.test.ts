import { FatalError, HOUR, MINUTE, RetryAfter, SECOND, Skip } from '@escapement/core';
import { describe, expect, expectTypeOf, test, vi } from 'vitest';
import { z } from 'zod';
import type { AnyPayload } from '../define-task.ts';
import { defineTask, type TaskOptions } from '../define-task.ts';
import { cron } from '../schedule.ts';
import type { TaskContext } from '../task-context.ts';
import type { TimeboxTurn } from '../timebox/index.ts';
import { testTask } from './test-task.ts';

type More = Omit<TaskOptions<AnyPayload, unknown>, 'name' | 'run'>;

const task = (run: (payload: unknown, ctx: TaskContext) => unknown, more: More = {}) =>
  defineTask({ name: 'x', run, ...more });

/** Ends with its abort, as a well-behaved task does. */
const untilAborted = (_: unknown, { signal }: TaskContext) =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });

const never = () => new Promise(() => undefined);

describe('a task that ends by itself', () => {
  const reminders = defineTask({
    name: 'send-reminders',
    schedule: cron('0 9 * * *', 'Europe/Berlin'),
    payload: z.object({ days: z.coerce.number() }),
    defaultPayload: { days: 3 },
    run({ days }, ctx) {
      ctx.log.info('sending', { days });
      ctx.progress(1, 2, 'half');
      ctx.heartbeat();
      return { days, on: ctx.run.scheduledFor, nothing: undefined };
    },
  });

  test('shows all that a fleet would keep', async () => {
    const result = await testTask(reminders, { payload: { days: '4' }, now: '2026-03-28T08:00:00Z' });
    expect(result).toEqual({
      status: 'succeeded',
      reason: null,
      output: { days: 4, on: '2026-03-28T08:00:00.000Z' },
      error: undefined,
      retryAt: undefined,
      state: undefined,
      chained: [],
      fannedOut: [],
      lists: {},
      nextAt: new Date('2026-03-29T07:00:00Z'),
      log: '2026-03-28T08:00:00.000Z INFO  sending {"days":4}\n',
      progress: [{ done: 1, total: 2, note: 'half' }],
      heartbeats: 1,
      durationMs: 0,
    });
  });

  test('is given its default payload where the test brings none', async () => {
    expect((await testTask(reminders)).output).toMatchObject({ days: 3 });
  });

  test('has its types: what the schema takes, and what JSON leaves of the output', async () => {
    const { output } = await testTask(reminders, { payload: { days: 1 } });
    expectTypeOf(output).toEqualTypeOf<{ days: number; on: string; nothing: undefined } | undefined>();
    const typed = defineTask({ name: 'typed', payload: z.object({ to: z.string() }), run: () => 1 });
    // @ts-expect-error a number is no address
    expect(await testTask(typed, { payload: { to: 5 } })).toMatchObject({ status: 'failed' });
  });

  test('knows of its run what a worker would tell it, or what the test says', async () => {
    const told = task((_, ctx) => ({ ...ctx.run, fence: Number(ctx.run.fence) }), { key: 'invoice:{{payload.type}}' });
    const now = '2026-01-01T12:00:00.000Z';
    expect((await testTask(told, { payload: { type: 'IN' }, now })).output).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      namespace: 'default',
      taskName: 'x',
      origin: 'trigger',
      scheduledFor: now,
      startedAt: now,
      attempt: 1,
      key: 'invoice:IN',
      fence: 1,
    });
    const late = { run: { attempt: 3, scheduledFor: new Date(0) }, payload: { type: 'DN' } };
    expect((await testTask(told, late)).output).toMatchObject({ attempt: 3, scheduledFor: new Date(0).toJSON() });
  });
});

describe('the run before', () => {
  const asking = task(async (_, ctx) => {
    const previous = await ctx.previous();
    return previous && [previous.state, previous.output, previous.finishedAt];
  });

  test('is none, unless the test says so', async () => {
    expect((await testTask(asking)).output).toBeNull();
  });

  test('is what the test says, and succeeded just now as to the rest', async () => {
    const now = '2026-01-01T12:00:00.000Z';
    const { output } = await testTask(asking, { previous: { output: { rows: 3 } }, now });
    expect(output).toEqual(['succeeded', { rows: 3 }, now]);
  });
});

describe('what is thrown', () => {
  const thrower = (thrown: unknown, more: More = {}) =>
    task(() => {
      throw thrown;
    }, more);
  const now = new Date('2026-01-01T00:00:00Z');

  test.each([
    ['an error', new TypeError('no'), {}, { status: 'failed', reason: 'no' }],
    ['an error, with attempts left', new Error('no'), { retry: { maxAttempts: 2 } }, { status: 'retrying' }],
    ['FatalError, with attempts left', new FatalError('no'), { retry: { maxAttempts: 2 } }, { status: 'failed' }],
    ['Skip', new Skip('nothing to do'), {}, { status: 'skipped', reason: 'nothing to do' }],
    [
      'RetryAfter',
      new RetryAfter(5000),
      { retry: { maxAttempts: 2 } },
      { status: 'retrying', retryAt: new Date(now.getTime() + 5000) },
    ],
  ])('%s', async (_, thrown, more, expected) => {
    expect(await testTask(thrower(thrown, more), { now })).toMatchObject(expected);
  });

  test('its error is shown as it is kept', async () => {
    const { error } = await testTask(thrower(new TypeError('no')));
    expect(error).toMatchObject({ name: 'TypeError', message: 'no', stack: expect.stringContaining('TypeError: no') });
  });

  test('the back-off is that of the attempt, without its jitter unless asked for', async () => {
    const failing = thrower(new Error('no'), {
      retry: { maxAttempts: 5, backoff: { kind: 'exponential', delayMs: 1000 } },
    });
    const waitOf = async (options: { random?: number }) => {
      const { retryAt } = await testTask(failing, { now, run: { attempt: 3 }, ...options });
      return (retryAt?.getTime() ?? 0) - now.getTime();
    };
    expect([await waitOf({}), await waitOf({ random: 0.5 })]).toEqual([4000, 3600]);
  });

  test('the last attempt is the last', async () => {
    const failing = thrower(new Error('no'), { retry: { maxAttempts: 2 } });
    expect(await testTask(failing, { run: { attempt: 2 } })).toMatchObject({
      status: 'failed',
      reason: 'no (attempt 2 of 2)',
    });
  });
});

describe('time', () => {
  test('stands still until it is moved', async () => {
    let goOn = () => undefined;
    const run = testTask(
      task(async (_, ctx) => {
        ctx.log.info('before');
        await new Promise<void>((resolve) => {
          goOn = () => void resolve();
        });
        ctx.log.info('after');
      }),
    );
    await run.advance(90 * SECOND);
    expect(run.log).toBe('2026-01-01T00:00:00.000Z INFO  before\n');
    expect(run.clock.now()).toEqual(new Date('2026-01-01T00:01:30Z'));
    goOn();
    expect(await run).toMatchObject({
      log: expect.stringContaining('2026-01-01T00:01:30.000Z INFO  after'),
      durationMs: 90_000,
    });
  });

  test('brings the time limit', async () => {
    const run = testTask(task(untilAborted, { timeoutMs: 5 * MINUTE }));
    await run.advance(HOUR);
    expect(await run).toMatchObject({
      status: 'timed_out',
      reason: 'ran longer than its time limit of 5 min',
      durationMs: 5 * MINUTE,
    });
  });

  test('brings the heartbeat limit, counted from the last report', async () => {
    const reporting = task(
      async (payload, ctx) => {
        ctx.heartbeat();
        await untilAborted(payload, ctx);
      },
      { heartbeatTimeoutMs: 30 * SECOND },
    );
    const run = testTask(reporting);
    await run.advance(29 * SECOND);
    await run.advance(1 * SECOND);
    expect(await run).toMatchObject({
      status: 'timed_out',
      reason: expect.stringContaining('heartbeat limit of 30 s'),
    });
  });

  test('a task that does not follow its abort is left to itself after 5 s', async () => {
    const run = testTask(task(never, { timeoutMs: 1 * MINUTE }));
    await run.advance(1 * HOUR);
    expect(await run).toMatchObject({ status: 'timed_out', durationMs: 65 * SECOND });
  });

  test('is moved by what the task calls, at once', async () => {
    const sink = { send: () => run.advance(200) };
    const run = testTask(
      task((_, ctx) => {
        ctx.log.info('a');
        void sink.send();
        ctx.log.info('b');
      }),
    );
    expect((await run).log.split('\n')).toMatchObject([/:00\.000Z INFO {2}a/, /:00\.200Z INFO {2}b/, '']);
  });

  test('of a fixed delay the next run counts from the end', async () => {
    const takesTime = async () => {
      await run.advance(1 * MINUTE);
    };
    const run = testTask(task(takesTime, { schedule: { kind: 'fixed-delay', delayMs: 5000 } }));
    expect((await run).nextAt).toEqual(new Date('2026-01-01T00:01:05Z'));
  });
});

test("fake timers of the test runner are the task's own affair", async () => {
  vi.useFakeTimers();
  try {
    const sleeping = task(async (_, ctx) => {
      await ctx.timebox(() => false);
      await new Promise((resolve) => setTimeout(resolve, 1000));
      return ctx.timebox(() => undefined, { durationMs: 1000 });
    });
    const run = testTask(sleeping, { turnMs: 300 });
    await run.advance(0);
    await vi.advanceTimersByTimeAsync(1000);
    expect((await run).output).toMatchObject({ turns: 3 });
  } finally {
    vi.useRealTimers();
  }
});

describe('abort by hand', () => {
  test.each([
    ['cancelled', {}, 'cancelled'],
    ['shutdown', {}, 'retrying'],
    ['lease_lost', {}, 'retrying'],
    ['timeout', {}, 'timed_out'],
    ['shutdown', { delivery: 'at-most-once' }, 'unknown'],
  ] as const)('%s (%o): %s', async (reason, more, status) => {
    const run = testTask(task(untilAborted, more));
    await run.abort(reason);
    expect((await run).status).toBe(status);
  });

  test('the task sees the reason', async () => {
    const run = testTask(
      task(async (payload, ctx) => {
        await untilAborted(payload, ctx).catch((reason) => ctx.log.write(`stopping: ${reason}`));
        throw new Error('not done');
      }),
    );
    await run.abort('shutdown');
    expect((await run).log).toBe('stopping: shutdown');
  });

  test('one that succeeded all the same did succeed', async () => {
    const run = testTask(task((payload, ctx) => untilAborted(payload, ctx).catch(() => 'done')));
    await run.abort();
    expect(await run).toMatchObject({ status: 'succeeded', output: 'done' });
  });
});

describe('a payload', () => {
  test('that does not fit the schema fails the run for good, before the task is called', async () => {
    const strict = defineTask({
      name: 'x',
      payload: z.object({ days: z.int() }),
      retry: { maxAttempts: 3 },
      run: () => expect.unreachable(),
    });
    expect(await testTask(strict, { payload: { days: 0.5 } })).toMatchObject({
      status: 'failed',
      error: { name: 'PayloadError', message: expect.stringContaining('payload.days') },
    });
  });

  test.each([
    ['no JSON', { big: 1n }, /BigInt/],
    ['text that Postgres cannot hold', { text: 'a\0' }, /NUL/],
    ['no field of the key', { other: 1 }, /names payload\.type, which the payload lacks/],
  ])('with %s is refused at once', (_, payload, message) => {
    expect(() =>
      testTask(
        task(() => 1, { key: '{{payload.type}}' }),
        { payload },
      ),
    ).toThrow(message);
  });

  test('comes out of the ledger as JSON', async () => {
    const { output } = await testTask(
      task((payload) => payload),
      { payload: { at: new Date(0) } },
    );
    expect(output).toEqual({ at: '1970-01-01T00:00:00.000Z' });
  });
});

describe('state', () => {
  const counter = defineTask({
    name: 'counter',
    state: z.object({ count: z.number(), at: z.coerce.date().optional() }).default({ count: 0 }),
    stateVersion: 2,
    migrateState: (old) => ({ count: Number(old) }),
    payload: z.object({ fail: z.boolean().default(false) }).default({ fail: false }),
    run({ fail }, ctx) {
      ctx.state.count += 1;
      ctx.state.at = new Date(0);
      if (fail) throw new Error('no');
    },
  });

  test('begins with what its schema makes of nothing, and is shown as JSON keeps it', async () => {
    const { state } = await testTask(counter);
    expect(state).toEqual({ count: 1, at: '1970-01-01T00:00:00.000Z' });
    expectTypeOf(state).toEqualTypeOf<{ count: number; at?: string | undefined } | undefined>();
  });

  test('goes on from what the test gives', async () => {
    expect((await testTask(counter, { state: { count: 7 } })).state).toMatchObject({ count: 8 });
    // @ts-expect-error the count is a number
    expect(await testTask(counter, { state: { count: '7' } })).toMatchObject({ status: 'failed' });
  });

  test('goes on from what an older version has left', async () => {
    expect((await testTask(counter, { state: '41', stateVersion: 1 })).state).toMatchObject({ count: 42 });
  });

  test('of a run that fails is as it was', async () => {
    const failed = await testTask(counter, { state: { count: 7 }, payload: { fail: true } });
    expect(failed.state).toEqual({ count: 7 });
  });

  test('of one run can be given to the next', async () => {
    const first = await testTask(counter);
    expect((await testTask(counter, { state: first.state })).state).toMatchObject({ count: 2 });
  });

  test('for a task that declares none is refused', () => {
    const given = { state: { count: 1 }, stateVersion: 1 };
    expect(() =>
      testTask(
        task(() => 1),
        given,
      ),
    ).toThrow('task x declares no state');
  });
});

describe('what follows', () => {
  const daily = { schedule: cron('0 9 * * *', 'UTC') };
  const later = new Date('2026-05-01T00:00:00Z');

  test.each([
    ['a date', later, later],
    ['never again', null, null],
    ['a date that has passed, a second later', new Date(0), new Date('2026-01-01T00:00:01Z')],
  ])('scheduleNext decides when the task is due next: %s', async (_, at, expected) => {
    const deciding = task((__, ctx) => ctx.scheduleNext(at), daily);
    expect((await testTask(deciding)).nextAt).toEqual(expected);
  });

  test('a run that fails decides nothing and chains nothing', async () => {
    const failing = task((_, ctx) => {
      ctx.scheduleNext(null);
      ctx.chain('report');
      throw new Error('no');
    }, daily);
    expect(await testTask(failing)).toMatchObject({ nextAt: new Date('2026-01-01T09:00:00Z'), chained: [] });
  });

  test('chained runs are shown in order, with their payloads', async () => {
    const report = defineTask({ name: 'report', payload: z.object({ rows: z.number() }), run: () => undefined });
    const chaining = task((_, ctx) => {
      ctx.chain(report, { rows: 3 });
      ctx.chain('alert');
    });
    expect((await testTask(chaining)).chained).toEqual([{ task: 'report', payload: { rows: 3 } }, { task: 'alert' }]);
  });
});

describe('a time box', () => {
  const everyMinute = { schedule: cron('* * * * *', 'UTC') };
  const batch = (operator: (turn: TimeboxTurn) => unknown, more: More = everyMinute) =>
    task((_, ctx) => ctx.timebox(operator), more);

  test('ends before the next occurrence', async () => {
    const { output } = await testTask(
      batch(() => undefined),
      { turnMs: 10 * SECOND },
    );
    expect(output).toEqual({ turns: 5, elapsedMs: 50_000, ended: 'time', overrunMs: 0 });
  });

  test('ends before the time limit', async () => {
    const { status, output } = await testTask(
      batch(() => undefined, { timeoutMs: 30 * SECOND }),
      { turnMs: 10_000 },
    );
    expect({ status, output }).toMatchObject({ status: 'succeeded', output: { turns: 2 } });
  });

  test('has turns that take the time that what they call lets pass', async () => {
    const run = testTask(batch(() => void run.advance(9 * SECOND)));
    expect((await run).output).toMatchObject({ turns: 6 });
  });

  test('counts a heartbeat a turn', async () => {
    expect((await testTask(batch(({ index }) => index < 4))).heartbeats).toBe(5);
  });

  test('is ended by an abort', async () => {
    const run = testTask(batch(() => undefined));
    await run.advance(5 * SECOND);
    await run.abort('shutdown');
    expect((await run).output).toMatchObject({ ended: 'aborted', elapsedMs: 5000 });
  });

  test('in which time stands still is told from a slow one', async () => {
    expect((await testTask(batch(() => undefined))).error).toMatchObject({
      message: expect.stringContaining('turns of a time box took no time'),
    });
  });
});
