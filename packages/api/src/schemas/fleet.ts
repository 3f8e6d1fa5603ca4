import { seenLease } from '@escapement/core';
import { z } from 'zod';
import { calendarIn } from './calendar.ts';
import { auditEntry, rate, runState } from './run.ts';
import { poolFields } from './task.ts';
import { at, bigNumber, ms } from './values.ts';

export const pool = z.object(poolFields).meta({ id: 'Pool' });

export const slot = z
  .object({
    key: z.string(),
    slot: z.int(),
    limit: z.int().nullable(),
    fence: bigNumber.nullable(),
    holder: z
      .object({
        runId: z.string(),
        state: runState.nullable(),
        taskName: z.string().nullable(),
        attempt: z.int(),
        worker: z.string().nullable(),
        since: at.nullable(),
      })
      .nullable(),
    waiting: z.int().meta({ description: 'Runs that wait for the key.' }),
    state: z.enum(['free', 'running', 'between attempts', 'reserved', 'ended', 'leased']),
    lease: seenLease.nullable(),
    remark: z.string().nullable().meta({ description: 'What does not fit together.' }),
  })
  .meta({ id: 'KeySlot' });

export const leases = {
  leasesKnown: z.boolean().meta({ description: 'False: no scheduler told of the leases in Redis.' }),
  leasesUnknown: z.string().nullable().meta({ description: 'Why nothing is known of them; null: it is.' }),
};

export const key = z
  .object({
    key: z.string(),
    ...leases,
    slots: z.array(slot),
    rates: z.array(rate),
    runs: z.array(
      z.object({
        runId: z.string(),
        taskName: z.string(),
        state: runState,
        scheduledFor: at,
        worker: z.string().nullable(),
        startedAt: at.nullable(),
        blockedBy: z.string().nullable(),
      }),
    ),
    audit: z.array(auditEntry),
  })
  .meta({ id: 'Key' });

export const figures = z
  .object({
    plannerPassAgeMs: ms
      .nullable()
      .meta({ description: 'Since a scheduler last completed a pass of planning; null: none ever did.' }),
    plannerLagMs: ms.meta({ description: 'How long the task that has waited longest to be planned is overdue.' }),
    unplannable: z.int().meta({ description: 'Tasks that cannot be planned.' }),
    held: z.int().meta({ description: 'Runs that wait for a person after an outage.' }),
    unknown: z.int().meta({ description: 'Runs of which nobody knows what became of them.' }),
    keysWaitedFor: z.int(),
    slotsHeld: z.int(),
    deliveriesPending: z.int(),
    alertsFiring: z.int(),
    frozen: z.boolean(),
    schedulers: z.int().meta({ description: 'That are alive.' }),
    pools: z.array(
      z.object({
        pool: z.string(),
        queued: z.int(),
        overdue: z.int().meta({ description: 'Of those, due for over a second.' }),
        longestMs: ms.meta({ description: 'For how long the one that has waited longest is overdue.' }),
        running: z.int(),
        waiting: z.int().meta({ description: 'For their key.' }),
        withoutCode: z.int().meta({ description: 'Due for over a second, and no worker could load their code.' }),
        workers: z.int().meta({ description: 'That are alive.' }),
        expectedWorkers: z.int().nullable(),
        paused: z.boolean(),
      }),
    ),
  })
  .meta({ id: 'FleetFigures' });

export const worker = z
  .object({
    id: z.string(),
    name: z.string().nullable().meta({ description: 'What it is called, also when it is started again.' }),
    host: z.string(),
    pid: z.int(),
    appVersion: z.string(),
    pools: z.array(z.string()),
    startedAt: at,
    activeRuns: z.int(),
    drain: z
      .object({ askedAt: at, askedBy: z.string(), note: z.string().nullable(), isEmpty: z.boolean() })
      .nullable()
      .meta({ description: 'It takes nothing new.' }),
  })
  .meta({ id: 'Worker' });

export const scheduler = z
  .object({
    id: z.string(),
    host: z.string(),
    pid: z.int(),
    appVersion: z.string(),
    tzVersion: z.string().nullable(),
    heartbeatAgeMs: ms,
    plannedAgeMs: ms.nullable().meta({ description: 'Since it last completed a planner pass.' }),
    clockOffsetMs: ms.nullable(),
  })
  .meta({ id: 'Scheduler' });

export const freeze = z
  .object({ fromAt: at, untilAt: at.nullable(), note: z.string(), createdBy: z.string() })
  .meta({ id: 'Freeze' });

export const calendar = z
  .object({ name: z.string(), version: z.int(), definition: calendarIn, savedBy: z.string(), savedAt: at })
  .meta({ id: 'Calendar' });

export const backfill = z
  .object({
    id: z.string(),
    taskId: z.string(),
    taskName: z.string(),
    state: z.enum(['running', 'stopped', 'done']),
    fromAt: at,
    toAt: at,
    reprocess: z.enum(['none', 'failed', 'all']),
    concurrency: z.int(),
    reverse: z.boolean(),
    requestedBy: z.string(),
    seq: z.int(),
    cursorAt: at.nullable(),
    made: z.int(),
    kept: z.int(),
    error: z.string().nullable(),
    createdAt: at,
    endedAt: at.nullable(),
    progress: z.partialRecord(runState, z.int()),
  })
  .meta({ id: 'Backfill' });
