import type { Clock, RunInfo } from '@escapement/core';
import { FatalError, RetryAfter, Skip } from '@escapement/core';
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

const reports = { heartbeat: () => undefined, progress: () => undefined };

async function outcomeOf(task: TaskModule, payload?: unknown) {
  let logged = '';
  const log = {
    write(text: string) {
      logged += text;
    },
  };
  const signal = new AbortController().signal;
  const json = payload === undefined ? undefined : JSON.parse(JSON.stringify(payload));
  const outcome = await runTask(task, { run, payload: json, signal, log, ...reports }, clock);
  return { outcome, logged };
}

const runs = (handler: (payload: unknown, ctx: TaskContext) => unknown) =>
  outcomeOf(defineTask({ name: 'x', run: handler }));

describe('runTask', () => {
  test('hands over payload and run, and keeps what is returned', async () => {
    const task = defineTask({
      name: 'x',
      payload: z.object({ days: z.int() }),
      run: ({ days }, ctx) => ({ days, attempt: ctx.run.attempt, at: new Date(0), gone: undefined }),
    });
    expect((await outcomeOf(task, { days: 3 })).outcome).toEqual({
      status: 'succeeded',
      output: { days: 3, attempt: 1, at: '1970-01-01T00:00:00.000Z' },
    });
  });

  test('nothing returned is no output', async () => {
    expect((await runs(() => undefined)).outcome).toEqual({ status: 'succeeded' });
  });

  test('a payload that does not fit fails for good, and run is not called', async () => {
    const task = defineTask({
      name: 'x',
      payload: z.object({ days: z.int() }),
      run: () => expect.unreachable(),
    });
    expect((await outcomeOf(task, { days: 'three' })).outcome).toMatchObject({
      status: 'failed',
      retry: 'never',
      error: { name: 'PayloadError', message: expect.stringContaining('payload.days') },
    });
  });

  const throwing = (thrown: unknown) => () => {
    throw thrown;
  };
  const later = new Date(now.getTime() + 5000);

  test.each([
    ['an Error: failed', new TypeError('no'), { status: 'failed', error: { name: 'TypeError', message: 'no' } }],
    ['text: failed', 'no', { status: 'failed', error: { name: 'string', message: 'no' } }],
    ['FatalError: failed for good', new FatalError('no'), { status: 'failed', retry: 'never' }],
    ['RetryAfter: failed until then', new RetryAfter(5000), { status: 'failed', retry: { at: later } }],
    ['Skip: skipped', new Skip('nothing to do'), { status: 'skipped', reason: 'nothing to do' }],
  ])('thrown %s', async (_, thrown, expected) => {
    expect((await runs(throwing(thrown))).outcome).toMatchObject(expected);
  });

  test.each([
    ['a number that JSON lacks', () => ({ big: 1n }), /^output of task x cannot be written as JSON: .*BigInt/],
    ['NUL', () => 'a\0', /NUL/],
    ['too much', () => 'x'.repeat(70_000), /70002 bytes of JSON; at most 65536 bytes/],
  ])('an output with %s fails for good: the work is done, a retry would repeat it', async (_, handler, message) => {
    expect((await runs(handler)).outcome).toMatchObject({
      status: 'failed',
      retry: 'never',
      error: { message: expect.stringMatching(message) },
    });
  });

  test('log lines carry time, level and fields', async () => {
    const { logged } = await runs((_, ctx) => {
      ctx.log.info('sent', { count: 2, fence: ctx.run.fence, error: new Error('late') });
      ctx.log.warn('slow');
      ctx.log.write('as it is\n');
    });
    expect(logged).toBe(
      '2025-01-01T00:00:01.000Z INFO  sent {"count":2,"fence":"1","error":"Error: late"}\n' +
        '2025-01-01T00:00:01.000Z WARN  slow\nas it is\n',
    );
  });

  test('a log line whose fields cannot be shown is still written', async () => {
    const cycle: Record<string, unknown> = {};
    cycle.again = cycle;
    expect((await runs((_, ctx) => ctx.log.info('round', cycle))).logged).toContain('round [fields cannot be shown');
  });
});
