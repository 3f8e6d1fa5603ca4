import { batchProgress, RUN_ORIGINS, RUN_STATES } from '@escapement/core';
import { z } from 'zod';
import { at, bigNumber, ms } from './values.ts';

export const runState = z.enum(RUN_STATES).meta({ id: 'RunState' });
export const runOrigin = z.enum(RUN_ORIGINS).meta({ id: 'RunOrigin' });

/** An error as the ledger keeps it. */
export const runError = z
  .object({
    name: z.string(),
    message: z.string(),
    stack: z.string().exactOptional(),
    fields: z.record(z.string(), z.json()).exactOptional().meta({ description: 'Its own fields.' }),
    get cause() {
      return runError.exactOptional();
    },
  })
  .meta({ id: 'RunError' });

const hidden = 'Left out for whom has not the right `read-payload`.';

const fields = {
  id: z.string(),
  taskName: z.string(),
  taskVersion: z.int(),
  origin: runOrigin,
  state: runState,
  reason: z.string().nullable().meta({ description: 'Why it is in this state; null: nothing is to be said.' }),
  scheduledFor: at,
  createdAt: at.meta({ description: 'When its row was made.' }),
  dueAt: at,
  startBy: at.nullable().meta({ description: 'The start deadline of its first attempt; null: it has none.' }),
  startedAt: at.nullable(),
  finishedAt: at.nullable(),
  key: z.string(),
  ownKey: z.boolean().meta({ description: 'The key was given for this run, and is not that of its task.' }),
  pool: z.string(),
  attempt: z.int().meta({ description: '0: not begun yet.' }),
  lost: z.int().meta({ description: 'How many workers have vanished under it.' }),
  worker: z.string().nullable(),
  ofWorker: z.string().nullable().meta({ description: 'The worker that it belongs to, by the `runOn` of its task.' }),
  fence: bigNumber.nullable(),
  exitCode: z.int().nullable(),
  error: runError.nullable(),
  output: z.json().optional().meta({ description: hidden }),
  progress: z
    .object({ done: z.number(), total: z.number().nullable(), note: z.string().nullable(), at })
    .nullable()
    .optional()
    .meta({ description: hidden }),
  payload: z
    .json()
    .optional()
    .meta({ description: `The run's own; null: the task's. ${hidden}` }),
  requestedBy: z.string().nullable(),
  cancelRequestedAt: at.nullable(),
  cancelRequestedBy: z.string().nullable(),
  cancelReason: z.string().nullable(),
  blockedBy: z
    .string()
    .nullable()
    .meta({ description: 'The run that held the key, or holds it while this one waits.' }),
  waitingSince: at.nullable(),
  waitUntil: at.nullable(),
  rerunOf: z.string().nullable(),
  causeRunId: z.string().nullable().meta({ description: 'The run that it follows, or is a child of.' }),
  traceparent: z.string().nullable().meta({ description: 'The span that its trace continues (W3C Trace Context).' }),
  untilAt: at.nullable().meta({ description: 'With `occurrences` above 1: the row stands for a stretch up to here.' }),
  occurrences: z.int(),
};

export const run = z.object(fields).meta({ id: 'Run' });

export const waits = z
  .object({
    code: z.string(),
    reason: z.string(),
    advice: z.string(),
  })
  .meta({ id: 'Waits', description: 'Why something waits, and what helps.' });

export const principalOut = z
  .object({
    kind: z.enum(['user', 'token', 'process', 'cli']),
    id: z.string(),
    name: z.string(),
    address: z.string().nullable(),
  })
  .meta({ id: 'Principal' });

const auditFields = {
  at,
  principal: principalOut,
  action: z.string(),
  reason: z.string().nullable(),
  detail: z.record(z.string(), z.unknown()),
  before: z.unknown(),
  after: z.unknown(),
  requestId: z.string().nullable(),
  refused: z.boolean(),
};

export const auditEntry = z.object(auditFields).meta({ id: 'AuditEntry' });

export const auditLogEntry = z
  .object({ id: z.int(), subject: z.string(), ...auditFields })
  .meta({ id: 'AuditLogEntry' });

export const rate = z
  .object({
    rateKey: z.string(),
    pool: z.string().nullable(),
    limit: z.int(),
    perMs: ms,
    started: z.int(),
    waiting: z.int(),
    nextAt: at.nullable(),
  })
  .meta({ id: 'Rate' });

export const treeRun = z
  .object({
    id: z.string(),
    taskName: z.string(),
    origin: runOrigin,
    state: runState,
    reason: z.string().nullable(),
    attempt: z.int(),
    scheduledFor: at,
    dueAt: at,
    startedAt: at.nullable(),
    finishedAt: at.nullable(),
    causeRunId: z.string().nullable(),
    ordinal: z.int().nullable(),
    rerunOf: z.string().nullable(),
    batchId: z.string().nullable(),
    event: z.string().nullable(),
  })
  .meta({ id: 'TreeRun' });

export const outboxEntry = z
  .object({
    runId: z.string(),
    event: z.enum(['started', 'finished', 'chain', 'next']),
    notBefore: at,
    tries: z.int(),
    error: z.string().nullable(),
    givenUpAt: at.nullable(),
  })
  .meta({ id: 'OutboxEntry' });

export const runTree = z
  .object({
    runs: z.array(treeRun),
    followersOutbox: z.array(outboxEntry),
    more: z.array(z.object({ runId: z.string(), counts: z.partialRecord(runState, z.int()) })),
  })
  .meta({ id: 'RunTree' });

export const attempt = z
  .object({
    attempt: z.int(),
    outcome: z.enum(['failed', 'timed_out', 'lost', 'interrupted']),
    reason: z.string().nullable(),
    worker: z.string().nullable(),
    fence: bigNumber.nullable(),
    startedAt: at.nullable(),
    finishedAt: at,
    exitCode: z.int().nullable(),
    error: runError.nullable(),
  })
  .meta({ id: 'Attempt' });

export const batch = batchProgress
  .extend({
    name: z.string(),
    taskName: z.string(),
    runId: z.string(),
    joinTask: z.string().nullable(),
    createdAt: at,
  })
  .meta({ id: 'Batch' });

export const runDescription = z
  .object({
    ...fields,
    traceUrl: z.string().nullable(),
    lateness: z
      .object({
        totalMs: ms,
        plannedMs: ms.meta({ description: 'Until its row was made.' }),
        waitedMs: ms.meta({ description: 'It waited for its key or a rate.' }),
        queuedMs: ms.meta({ description: 'The rest: until a worker had taken it from the queue and begun it.' }),
      })
      .nullable()
      .meta({
        description:
          'Where the time went between when it was due and when it began; null: it has not begun, or was tried again.',
      }),
    rate: rate.extend({ turnAt: at, ahead: z.int() }).nullable().meta({ description: 'The rate that it waits for.' }),
    heldBack: waits.nullable().meta({ description: 'Why it has not begun.' }),
    marks: z
      .array(z.object({ rule: z.string(), detail: z.string() }))
      .meta({ description: 'Why its success is suspicious.' }),
    attempts: z.array(attempt).meta({ description: 'The earlier ones.' }),
    audit: z.array(auditEntry),
    batches: z.array(batch),
    followers: z.array(treeRun),
    followersOutbox: z.array(outboxEntry),
  })
  .meta({ id: 'RunDescription' });
