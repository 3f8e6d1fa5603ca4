import { expect, test } from 'vitest';
import type { Notice } from './notice.ts';
import { noticeJson, noticeSubject, noticeText } from './render.ts';

const notice: Notice = {
  id: 'n1',
  namespace: 'default',
  taskName: 'billing/nightly',
  runId: '0192f0c1-0000-7000-8000-000000000001',
  state: 'failed',
  reason: 'exit code 3',
  error: { name: 'ShellError', message: 'exit code 3' },
  attempt: 2,
  scheduledFor: new Date('2026-03-01T02:30:00.000Z'),
  endedAt: new Date('2026-03-01T02:30:04.250Z'),
  worker: 'host-a:17',
  logTail: 'connecting\nno such table\n',
};

test('the subject says which task, what became of it, and when it was due', () => {
  expect(noticeSubject(notice)).toBe('[Escapement] billing/nightly failed, due 2026-03-01 02:30:00 UTC');
  expect(noticeSubject({ ...notice, namespace: 'eu', state: 'timed_out' })).toBe(
    '[Escapement] billing/nightly (eu) ran out of time, due 2026-03-01 02:30:00 UTC',
  );
});

test('the text says that the task is paused, and how to resume it', () => {
  expect(noticeText({ ...notice, pausedTask: '3 runs in a row failed: a, b, c' })).toContain(`

The task is paused, and nothing of its schedule runs until somebody resumes it: 3 runs in a row failed: a, b, c.
escapement tasks resume billing/nightly

`);
  expect(noticeJson(notice).pausedTask).toBeNull();
  expect(noticeJson({ ...notice, pausedTask: 'run a failed' }).pausedTask).toBe('run a failed');
});

test('the text has every fact, the error and the end of the log', () => {
  expect(noticeText(notice)).toBe(`billing/nightly failed.

Task:     billing/nightly (namespace default)
Run:      0192f0c1-0000-7000-8000-000000000001
State:    failed
Reason:   exit code 3
Due:      2026-03-01 02:30:00 UTC
Ended:    2026-03-01 02:30:04.250 UTC
Attempts: 2
Worker:   host-a:17

The error:

    ShellError: exit code 3

The end of its log:

    connecting
    no such table

All of it: escapement runs show 0192f0c1-0000-7000-8000-000000000001
`);
});

test('what is not known is left out', () => {
  const { reason, error, worker, logTail, ...bare } = notice;
  expect(noticeText(bare)).not.toMatch(/Reason|Worker|error|log:|undefined/);
});

test('a newline in a name cannot begin a header or a line', () => {
  const forged = { ...notice, taskName: 'a\r\nBcc: x@example.com', reason: 'b\nState: succeeded' };
  expect(noticeSubject(forged)).not.toMatch(/[\r\n]/);
  expect(noticeText(forged)).not.toMatch(/^State: succeeded/m);
});

test('a long log is cut to its end', () => {
  const logTail = Array.from({ length: 100_000 }, (_, index) => `line ${index}`).join('\n');
  const tail = noticeJson({ ...notice, logTail }).logTail ?? '';
  expect(tail.split('\n')).toHaveLength(100);
  expect(tail).toMatch(/line 99999$/);
  expect(noticeJson({ ...notice, logTail: 'x'.repeat(1_000_000) }).logTail).toHaveLength(16 * 1024);
});

test('the JSON has every fact, with null for what is not known', () => {
  expect(noticeJson(notice)).toEqual({
    version: 1,
    id: 'n1',
    text: '[Escapement] billing/nightly failed, due 2026-03-01 02:30:00 UTC: exit code 3',
    namespace: 'default',
    task: 'billing/nightly',
    runId: notice.runId,
    state: 'failed',
    reason: 'exit code 3',
    error: { name: 'ShellError', message: 'exit code 3' },
    attempt: 2,
    scheduledFor: '2026-03-01T02:30:00.000Z',
    endedAt: '2026-03-01T02:30:04.250Z',
    worker: 'host-a:17',
    logTail: 'connecting\nno such table',
    pausedTask: null,
  });
  const { reason, error, worker, logTail, ...bare } = notice;
  expect(noticeJson(bare)).toMatchObject({ reason: null, error: null, worker: null, logTail: null });
});
