import { ABORT_BOUND_MS, type AbortReason, DAY, type Handler, HOUR, SECOND } from '@escapement/core';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type HandlerRun, runHandler } from './run-handler.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const context: HandlerRun['context'] = {
  spec: { type: 'shell', command: 'true' },
  run: {
    id: 'r',
    namespace: 'default',
    taskName: 't',
    pool: 'default',
    origin: 'schedule',
    scheduledFor: new Date(0),
    startedAt: new Date(0),
    latenessMs: 0,
    requestedBy: null,
    causeRunId: null,
    traceparent: null,
    nextAt: null,
    timeoutMs: 3_600_000,
    attempt: 1,
    key: 't',
    fence: 1n,
  },
  payload: undefined,
  log: { write: () => {} },
};

/** Ends when it is aborted. */
const patient: Handler = ({ signal }) =>
  new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve({ status: 'failed', error: { name: 'Aborted', message: '' } }));
  });

test.each([[1000], [30 * DAY]])('a time limit of %i ms ends a handler then, and not before', async (timeoutMs) => {
  let ended: unknown;
  const end = runHandler({
    handler: patient,
    context,
    timeoutMs,
    ask: async () => null,
    onProgress: () => {},
    onAbortable: () => {},
    cancelRequest: () => undefined,
    onPreparing: () => {},
    onAbandoned: () => {},
    now: () => new Date(0),
  }).then((value) => {
    ended = value;
  });
  await vi.advanceTimersByTimeAsync(timeoutMs - 1);
  expect(ended).toBeUndefined();
  await vi.advanceTimersByTimeAsync(1);
  await end;
  expect(ended).toMatchObject({ kind: 'timed_out', timeoutMs });
});

/** Runs a handler whose time limit is 1 s, and tells for how long it was waited for in vain. */
async function abandonedAfter(handler: Handler): Promise<number[]> {
  const waited: number[] = [];
  const end = runHandler({
    handler,
    context,
    timeoutMs: SECOND,
    ask: async () => null,
    onProgress: () => {},
    onAbortable: () => {},
    cancelRequest: () => undefined,
    onPreparing: () => {},
    onAbandoned: (waitedMs) => waited.push(waitedMs),
    now: () => new Date(0),
  });
  await vi.advanceTimersByTimeAsync(SECOND + 2 * ABORT_BOUND_MS);
  await end;
  return waited;
}

test('a handler that does not end after its abort is left to itself after the bound', async () => {
  expect(await abandonedAfter(() => new Promise(() => {}))).toEqual([ABORT_BOUND_MS]);
});

test('a handler that ends when it is aborted is not said to have been left to itself', async () => {
  expect(await abandonedAfter(patient)).toEqual([]);
});

test('the handler of a run that was cancelled while it began is not started', async () => {
  const handler = vi.fn<Handler>();
  const request = { who: 'ann', reason: null };
  const end = await runHandler({
    handler,
    context,
    timeoutMs: SECOND,
    ask: async () => null,
    onProgress: () => {},
    onAbortable: (abort) => abort('cancelled'),
    cancelRequest: () => request,
    onPreparing: () => {},
    onAbandoned: () => {},
    now: () => new Date(0),
  });
  expect(end).toEqual({ kind: 'cancelled', request });
  expect(handler).not.toHaveBeenCalled();
});

/** Runs a handler that must report every second, and is stopped after an hour in any case. */
function reporting(handler: Handler, onProgress: HandlerRun['onProgress'] = () => {}) {
  return runHandler({
    handler,
    context,
    timeoutMs: 3600 * SECOND,
    heartbeatTimeoutMs: SECOND,
    ask: async () => null,
    onProgress,
    onAbortable: () => {},
    cancelRequest: () => undefined,
    onPreparing: () => {},
    onAbandoned: () => {},
    now: () => new Date(0),
  });
}

test('a handler that does not report within its heartbeat limit is stopped, and timed out for that', async () => {
  const end = reporting(patient);
  await vi.advanceTimersByTimeAsync(SECOND + 1);
  expect(await end).toMatchObject({ kind: 'silent', heartbeatTimeoutMs: SECOND });
});

test('what a handler that was left to itself reports is heard no more', async () => {
  const reports: unknown[] = [];
  let late: () => void = () => {};
  const handler: Handler = ({ progress }) => {
    late = () => progress(2);
    progress(1);
    return new Promise(() => {});
  };
  const end = reporting(handler, (progress) => reports.push(progress));
  await vi.advanceTimersByTimeAsync(SECOND + 2 * ABORT_BOUND_MS);
  await end;
  late();
  expect(reports).toMatchObject([{ done: 1 }]);
});

test('each report, of progress too, gives it the whole limit again', async () => {
  const reports: unknown[] = [];
  let heartbeat: () => void = () => {};
  const handler: Handler = (given) => {
    let heartbeats = 0;
    heartbeat = () => (++heartbeats % 2 ? given.heartbeat() : given.progress(heartbeats, 10, 'copying'));
    return patient(given);
  };
  let ended = false;
  const end = reporting(handler, (progress) => reports.push(progress)).finally(() => {
    ended = true;
  });
  for (let times = 0; times < 5; times++) {
    await vi.advanceTimersByTimeAsync(SECOND - 1);
    heartbeat();
  }
  expect(ended).toBe(false);
  expect(reports).toEqual([
    { done: 2, total: 10, note: 'copying' },
    { done: 4, total: 10, note: 'copying' },
  ]);
  await vi.advanceTimersByTimeAsync(SECOND + 1);
  expect(await end).toMatchObject({ kind: 'silent' });
});

test('the limits of a handler begin when it has what it needs for its work', async () => {
  const preparing: boolean[] = [];
  let onReady: () => void = () => {};
  const ready = new Promise<void>((resolve) => {
    onReady = resolve;
  });
  let ended = false;
  const end = runHandler({
    handler: async (given) => {
      await given.preparing(ready);
      return await patient(given);
    },
    context,
    timeoutMs: 2 * SECOND,
    heartbeatTimeoutMs: SECOND,
    ask: async () => null,
    onProgress: () => {},
    onAbortable: () => {},
    cancelRequest: () => undefined,
    onPreparing: (prepares) => preparing.push(prepares),
    onAbandoned: () => {},
    now: () => new Date(0),
  }).finally(() => {
    ended = true;
  });
  await vi.advanceTimersByTimeAsync(HOUR);
  onReady();
  await vi.advanceTimersByTimeAsync(SECOND - 1);
  expect([ended, preparing]).toEqual([false, [true, false]]);
  await vi.advanceTimersByTimeAsync(2);
  expect(await end).toMatchObject({ kind: 'silent' });
});

test('what was aborted while it prepared has not begun', async () => {
  const controller: { abort: (reason: AbortReason) => void } = { abort: () => {} };
  const end = runHandler({
    handler: async ({ preparing, signal }) => {
      await preparing(new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve())));
      return { status: 'failed', work: 'not_begun', error: { name: 'Aborted', message: '' } };
    },
    context,
    timeoutMs: SECOND,
    ask: async () => null,
    onProgress: () => {},
    onAbortable: (abort) => {
      controller.abort = abort;
    },
    cancelRequest: () => undefined,
    onPreparing: () => {},
    onAbandoned: () => {},
    now: () => new Date(0),
  });
  await vi.advanceTimersByTimeAsync(HOUR);
  controller.abort('shutdown');
  expect(await end).toMatchObject({ kind: 'interrupted', notBegun: true });
});
