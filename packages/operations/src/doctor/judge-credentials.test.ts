import type { LiveProcess } from '@escapement/store';
import { expect, test } from 'vitest';
import { judgeCredentials } from './judge-credentials.ts';

const WORKER: LiveProcess = {
  id: 'w',
  role: 'worker',
  host: 'h',
  pid: 1,
  appVersion: '1',
  pools: ['default'],
  tzVersion: null,
  exposes: [],
  heartbeatAgeMs: 100,
  plannedAgeMs: null,
  clockOffsetMs: 0,
  activeRuns: 0,
};

test('workers whose tasks reach nothing are well; without workers there is nothing to say', () => {
  expect(judgeCredentials([WORKER])).toMatchObject([{ subject: 'Credentials', level: 'ok' }]);
  expect(judgeCredentials([{ ...WORKER, role: 'scheduler' }])).toEqual([]);
});

test('what tasks reach is said by kind, with the number of workers and what ends it', () => {
  const found = judgeCredentials([
    { ...WORKER, exposes: ['memory', 'files'] },
    { ...WORKER, exposes: ['memory'] },
    WORKER,
  ]);
  expect(found).toEqual([
    expect.objectContaining({
      level: 'warning',
      detail: expect.stringMatching(/^on 2 of 3 workers .*read its memory/),
    }),
    expect.objectContaining({
      level: 'warning',
      fix: expect.stringContaining('600'),
      detail: expect.stringMatching(/^on 1/),
    }),
  ]);
});
