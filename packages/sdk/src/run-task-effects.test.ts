import type { Clock, RunInfo, TaskState } from '@escapement/core';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { defineTask, type TaskModule } from './define-task.ts';
import { runTask } from './run-task.ts';
import type { TaskContext } from './task-context.ts';

const now = new Date('2025-01-01T00:00:01Z');
const clock: Clock = { now: () => now, monotonicMs: () => 0 };
const run: RunInfo = {
  id: '01941f29-7c00-7000-8000-000000000001',
  namespace: 'default',
  taskName: 'x',
  pool: 'default',
  origin: 'schedule',
  scheduledFor: now,
  startedAt: now,
  latenessMs: 0,
  requestedBy: null,
  causeRunId: null,
  traceparent: null,
  nextAt: null,
  timeoutMs: 3_600_000,
  attempt: 1,
  key: 'x',
  fence: 1n,
};

function outcomeOf(task: TaskModule, state?: TaskState) {
  const { signal } = new AbortController();
  const rest = { log: { write: () => undefined }, heartbeat: () => undefined, progress: () => undefined };
  return runTask(task, { run, payload: undefined, signal, ...(state ? { state } : {}), ...rest }, clock);
}

const counter = z.object({ count: z.int().max(10) }).default({ count: 0 });

describe('ctx.state', () => {
  const counting = defineTask({
    name: 'x',
    state: counter,
    run(_, ctx) {
      ctx.state.count += 1;
    },
  });

  test('is what the schema makes of nothing at first, and then what the last run left', async () => {
    const first = await outcomeOf(counting);
    expect(first).toMatchObject({ effects: { state: { value: { count: 1 }, version: 0, shape: 1 } } });
    expect(await outcomeOf(counting, { value: { count: 4 }, version: 7, shape: 1 })).toEqual({
      status: 'succeeded',
      effects: { state: { value: { count: 5 }, version: 7, shape: 1 } },
    });
  });

  test('may be set anew; left as it is it is not written', async () => {
    const setting = defineTask({
      name: 'x',
      state: counter,
      run: (_, ctx) => {
        ctx.state = { count: 3 };
      },
    });
    expect(await outcomeOf(setting, { value: { count: 3 }, version: 1, shape: 1 })).toEqual({ status: 'succeeded' });
    expect(await outcomeOf(setting)).toMatchObject({ effects: { state: { value: { count: 3 } } } });
  });

  test('one that does not fit ends the run before its handler, one that would not fit after it', async () => {
    expect(await outcomeOf(counting, { value: { count: 'many' }, version: 1, shape: 1 })).toMatchObject({
      status: 'failed',
      retry: 'never',
      work: 'not_begun',
      error: { name: 'StateError', message: expect.stringContaining('state.count') },
    });
    const late = await outcomeOf(counting, { value: { count: 10 }, version: 1, shape: 1 });
    expect(late).toMatchObject({ status: 'failed', retry: 'never', error: { name: 'StateError' } });
    expect(late).not.toHaveProperty('work');
  });

  test('of an older shape goes through migrateState', async () => {
    const migrated = defineTask({
      name: 'x',
      state: counter,
      stateVersion: 3,
      migrateState: (old, from) => ({ count: Number(old) * from }),
      run: (_, ctx) => ctx.state.count,
    });
    expect(await outcomeOf(migrated, { value: 4, version: 2, shape: 2 })).toEqual({
      status: 'succeeded',
      output: 8,
      effects: { state: { value: { count: 8 }, version: 2, shape: 3 } },
    });
  });

  test('larger than 256 KiB fails the run for good', async () => {
    const large = defineTask({
      name: 'x',
      state: z.string().default(''),
      run: (_, ctx) => {
        ctx.state = 'x'.repeat(300_000);
      },
    });
    expect(await outcomeOf(large)).toMatchObject({ status: 'failed', retry: 'never', error: { message: /262144/ } });
  });

  test('of a task that declares none throws', async () => {
    const none = defineTask({ name: 'x', run: (_, ctx) => String(ctx.state) });
    expect(await outcomeOf(none)).toMatchObject({ status: 'failed', error: { message: /declares no state/ } });
  });
});

describe('ctx.scheduleNext and ctx.chain', () => {
  const mail = defineTask({ name: 'mail', payload: z.object({ to: z.email() }), run: () => undefined });

  test('are handed over with a success', async () => {
    const task = defineTask({
      name: 'x',
      run: (_, ctx) => {
        ctx.scheduleNext(null);
        ctx.scheduleNext(new Date(5000));
        ctx.chain(mail, { to: 'a@b.de' });
        ctx.chain('report');
      },
    });
    expect(await outcomeOf(task)).toEqual({
      status: 'succeeded',
      effects: {
        next: new Date(5000),
        chain: [{ task: 'mail', payload: { to: 'a@b.de' } }, { task: 'report' }],
      },
    });
  });

  test('a payload that does not fit the other task is told at the call', async () => {
    let thrown: unknown;
    const task = defineTask({
      name: 'x',
      run: (_, ctx) => {
        try {
          ctx.chain(mail, { to: 'nobody' });
        } catch (error) {
          thrown = error;
        }
      },
    });
    expect((await outcomeOf(task)).status).toBe('succeeded');
    expect(thrown).toMatchObject({ name: 'PayloadError', message: expect.stringContaining('task "mail": payload.to') });
  });

  test('of a run that throws nothing is left', async () => {
    const task = defineTask({
      name: 'x',
      state: counter,
      run: (_, ctx) => {
        ctx.state.count = 9;
        ctx.chain('report');
        throw new Error('no');
      },
    });
    expect(await outcomeOf(task)).not.toHaveProperty('effects');
  });

  test('an invalid date is refused', async () => {
    const task = defineTask({ name: 'x', run: (_, ctx) => ctx.scheduleNext(new Date('soon')) });
    expect(await outcomeOf(task)).toMatchObject({
      status: 'failed',
      error: { message: /scheduleNext was given Invalid Date/ },
    });
  });
});

test('an output that does not fit its schema fails the run for good, one that does is kept as the schema gives it', async () => {
  const output = z.object({ sent: z.int().default(0) });
  expect(await outcomeOf(defineTask({ name: 'x', output, run: () => ({}) }))).toEqual({
    status: 'succeeded',
    output: { sent: 0 },
  });
  expect(await outcomeOf(defineTask({ name: 'x', output, run: () => ({ sent: 1.5 }) }))).toMatchObject({
    status: 'failed',
    retry: 'never',
    error: { name: 'OutputError', message: expect.stringContaining('output.sent') },
  });
});

test('then and lifecycle take tasks as themselves or by name; state needs a key that one run has at a time', () => {
  const mail = defineTask({ name: 'mail', run: () => undefined });
  const task = defineTask({
    name: 'x',
    then: [{ task: mail, when: 'failure' }],
    onLate: mail,
    onSkip: 'page',
    run: () => 1,
  });
  expect(task.toDefinition()).toMatchObject({
    then: [{ task: 'mail', when: 'failure' }],
    onLate: 'mail',
    onSkip: 'page',
  });
  expect(() => defineTask({ name: 'x', state: counter, limit: 2, run: () => 1 })).toThrow(
    /overwrite each other's state/,
  );
  expect(() => defineTask({ name: 'x', state: counter, overlap: 'allow', run: () => 1 })).toThrow(/state/);
  expect(() => defineTask({ name: 'x', stateVersion: 2, run: () => 1 })).toThrow(/need a state schema/);
});

const hostile: [string, (ctx: TaskContext) => unknown, string, string][] = [
  ['NaN in the output', () => ({ a: Number.NaN }), 'not_json', '"a" is NaN'],
  ['an invalid date in the output', () => [new Date(Number.NaN)], 'not_json', 'no valid date'],
  ['a bigint in the output', () => ({ id: 2n ** 60n }), 'not_json', 'BigInt'],
  ['a map in the output', () => new Map([[1, 2]]), 'not_json', 'a Map'],
  ['NaN in a payload', (ctx) => ctx.chain('next', { a: Number.NaN }), 'not_json', 'payload for next'],
  ['a cycle in a payload', (ctx) => ctx.chain('next', cycle), 'not_json', 'payload for next'],
];
const cycle: Record<string, unknown> = {};
cycle.again = cycle;

test.each(hostile)('%s fails the run for good, and does not become null', async (_, handler, code, words) => {
  const outcome = await outcomeOf(defineTask({ name: 'x', run: (_, ctx) => handler(ctx) }));
  expect(outcome).toMatchObject({
    ...{ status: 'failed', retry: 'never' },
    error: { message: expect.stringContaining(words), fields: { code } },
  });
});

test('a state that JSON would change fails the run for good', async () => {
  const task = defineTask({
    ...{ name: 'x', state: z.object({ at: z.unknown() }).default({ at: 0 }) },
    run(_, ctx) {
      ctx.state.at = new Date(Number.NaN);
    },
  });
  expect(await outcomeOf(task)).toMatchObject({
    status: 'failed',
    retry: 'never',
    error: { fields: { code: 'not_json' } },
  });
});

test.each([-1, 8.64e15, Date.parse('0000-01-01T00:00:00Z')])(
  'scheduleNext refuses %s ms: no run can be due then',
  async (ms) => {
    const task = defineTask({ name: 'x', run: (_, ctx) => ctx.scheduleNext(new Date(ms)) });
    expect(await outcomeOf(task)).toMatchObject({ status: 'failed', error: { fields: { code: 'bad_instant' } } });
  },
);
