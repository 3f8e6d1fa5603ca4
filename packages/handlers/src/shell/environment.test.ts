import { expect, test } from 'vitest';
import { runEnvironment } from './environment.ts';

test('runEnvironment names run, task, attempt, due time, lateness, who asked, fence, key and payload', () => {
  const run = {
    id: 'id',
    namespace: 'default',
    taskName: 'invoices',
    pool: 'default',
    origin: 'schedule',
    scheduledFor: new Date('2025-01-01T00:00:00Z'),
    startedAt: new Date('2025-01-01T00:00:01Z'),
    nextAt: null,
    timeoutMs: 3_600_000,
    attempt: 2,
    key: 'invoice:IN',
    latenessMs: 1200,
    requestedBy: 'ann@host',
    causeRunId: null,
    traceparent: null,
    fence: 7n,
  } as const;
  expect(runEnvironment(run, { kind: 'IN' })).toEqual({
    ESCAPEMENT_RUN_ID: 'id',
    ESCAPEMENT_LATENESS_MS: '1200',
    ESCAPEMENT_ORIGIN: 'schedule',
    ESCAPEMENT_REQUESTED_BY: 'ann@host',
    ESCAPEMENT_TASK: 'invoices',
    ESCAPEMENT_ATTEMPT: '2',
    ESCAPEMENT_SCHEDULED_FOR: '2025-01-01T00:00:00.000Z',
    ESCAPEMENT_FENCE: '7',
    ESCAPEMENT_KEY: 'invoice:IN',
    ESCAPEMENT_PAYLOAD: '{"kind":"IN"}',
  });
  expect(runEnvironment(run, undefined)).not.toHaveProperty('ESCAPEMENT_PAYLOAD');
});
