import { expect, test } from 'vitest';
import { type TimedRun, timelineOf } from './timeline.ts';

const T = Date.parse('2026-11-28T12:00:00Z');
const at = (seconds: number) => new Date(T + 1000 * seconds).toISOString();
const base: TimedRun = {
  ...{ attempt: 1, attempts: [], state: 'succeeded', scheduledFor: at(0), dueAt: at(0), createdAt: at(-60) },
  ...{ startedAt: at(2), finishedAt: at(5) },
};
const failedTry = (attempt: number, from: number, to: number): TimedRun['attempts'][number] => ({
  ...{ attempt, outcome: 'failed', reason: null, worker: 'w', fence: null, exitCode: 1, error: null },
  ...{ startedAt: at(from), finishedAt: at(to) },
});

/** In seconds. */
function drawn(run: Partial<TimedRun>, now = 100) {
  const timeline = timelineOf({ ...base, ...run }, T + 1000 * now);
  const s = (ms: number) => (ms - T) / 1000;
  return (
    timeline && {
      ...{ from: s(timeline.fromMs), to: s(timeline.toMs), now: timeline.nowMs === null ? null : s(timeline.nowMs) },
      rows: timeline.rows.map(({ attempt, waits, bar }) => [
        attempt,
        ...waits.map(({ kind, fromMs, toMs }) => `${kind} ${s(fromMs)}-${s(toMs)}`),
        ...(bar ? [`${bar.look.words} ${s(bar.fromMs)}-${s(bar.toMs)}`] : []),
      ]),
    }
  );
}

test('a run that has not begun has no tries', () => {
  expect(drawn({ attempt: 0, state: 'queued', startedAt: null, finishedAt: null })).toBeNull();
});

test('one try: what it waited since it was due, and how long it took', () => {
  expect(drawn({})).toEqual({ from: 0, to: 5, now: null, rows: [[1, 'queued 0-2', 'succeeded 2-5']] });
});

test('a row that was made long after its occurrence has waited since it was there', () => {
  expect(drawn({ createdAt: at(1), scheduledFor: at(-9999), dueAt: at(-9999) })?.rows).toEqual([
    [1, 'queued 1-2', 'succeeded 2-5'],
  ]);
});

test('tries with pauses between them; of the last pause it is known when the try could begin', () => {
  const attempts = [failedTry(1, 1, 3), failedTry(2, 13, 14)];
  expect(drawn({ attempts, attempt: 3, dueAt: at(34), startedAt: at(36), finishedAt: at(40) })?.rows).toEqual([
    [1, 'queued 0-1', 'failed 1-3'],
    [2, 'pause 3-13', 'failed 13-14'],
    [3, 'pause 14-34', 'queued 34-36', 'succeeded 36-40'],
  ]);
});

test('a run that goes on reaches up to now', () => {
  const running = drawn({ state: 'running', finishedAt: null }, 9);
  expect(running).toEqual({ from: 0, to: 9, now: 9, rows: [[1, 'queued 0-2', 'running 2-9']] });
});

test('a run that is tried again shows the pause up to its next try, and what it waits beyond', () => {
  const retrying: Partial<TimedRun> = {
    state: 'retrying',
    attempts: [failedTry(1, 2, 5)],
    dueAt: at(20),
    finishedAt: null,
  };
  expect(drawn(retrying, 9)).toEqual({
    ...{ from: 0, to: 20, now: 9 },
    rows: [
      [1, 'queued 0-2', 'failed 2-5'],
      [null, 'pause 5-20'],
    ],
  });
  expect(drawn({ ...retrying, state: 'queued' }, 23)?.rows[1]).toEqual([null, 'pause 5-20', 'queued 20-23']);
});

test('a last try that was kept as one is drawn once, as the run ended', () => {
  const rows = drawn({ state: 'failed', attempts: [failedTry(1, 2, 5)] })?.rows;
  expect(rows).toEqual([[1, 'queued 0-2', 'failed 2-5']]);
});
