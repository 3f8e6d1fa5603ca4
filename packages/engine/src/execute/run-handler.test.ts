import { DAY, type Handler } from '@escapement/core';
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
    origin: 'schedule',
    scheduledFor: new Date(0),
    startedAt: new Date(0),
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
    onAbortable: () => {},
    onAbandoned: () => {},
    now: () => new Date(0),
  }).then((value) => {
    ended = value;
  });
  await vi.advanceTimersByTimeAsync(timeoutMs - 1);
  expect(ended).toBeUndefined();
  await vi.advanceTimersByTimeAsync(1);
  await end;
  expect(ended).toEqual({ kind: 'timed_out', timeoutMs });
});
