import { MONITOR_STATES, MONITOR_TROUBLES, monitorName, monitorSpec, PING_KINDS } from '@escapement/core/monitors';
import { z } from 'zod';
import { at, ms } from './values.ts';

export const monitorParams = z.object({ name: monitorName.meta({ description: 'The name of a monitor.' }) });

const { schedule, graceMs, maxRunMs, labels } = monitorSpec.shape;

/** What is expected of a job, as somebody says it. */
export const expectedIn = {
  schedule: schedule.meta({
    description: "The job's own schedule: `cron`, `every`, `rrule`; `fixed-delay` counts from the last ping.",
  }),
  graceMs: graceMs.meta({ description: 'A ping may come so much later than the job is due. Default: 1 h.' }),
  maxRunMs: maxRunMs.meta({ description: 'A run may take so long from its `start`. Default: `graceMs`.' }),
  labels: labels.meta({ description: 'For rules, routes and silences of alerts.' }),
};

/** The same, where what is left out stays. */
export const changedIn = {
  schedule: schedule.optional(),
  graceMs: ms.optional(),
  maxRunMs: ms.optional(),
  labels: labels.unwrap().optional(),
};

export const monitor = z
  .object({
    id: z.string(),
    name: z.string(),
    schedule: z.record(z.string(), z.unknown()),
    graceMs: ms,
    maxRunMs: ms.nullable(),
    labels: z.record(z.string(), z.string()),
    state: z.enum(MONITOR_STATES).meta({
      description:
        '`new`: no ping has come, and none is due. `late`: a ping is due, and may still come. `down`: something is wrong.',
    }),
    troubles: z.array(z.object({ kind: z.enum(MONITOR_TROUBLES), since: at })),
    lastPingAt: at.nullable(),
    lastKind: z.enum(PING_KINDS).nullable(),
    lastSuccessAt: at.nullable(),
    failedAt: at.nullable().meta({ description: 'The first failure since the last success; null: there was none.' }),
    exitStatus: z.int().nullable(),
    running: z.array(z.object({ rid: z.string().nullable(), since: at, startedAt: at })),
    dueAt: at.nullable(),
    pings: z.string().regex(/^\d+$/).meta({ description: 'How many have come.' }),
    pause: z.object({ at, untilAt: at.nullable(), by: z.string().nullable(), note: z.string().nullable() }).nullable(),
    createdAt: at,
    createdBy: z.string(),
  })
  .meta({ id: 'Monitor' });

export const pingUrl = z
  .object({
    name: z.string(),
    pingId: z.string().meta({ description: 'Who has it may ping. It is told here, and never again.' }),
    path: z.string().meta({ description: 'Of the API: `/ping/ID`.' }),
    url: z
      .string()
      .nullable()
      .meta({ description: 'The whole URL; null: ESCAPEMENT_API_URL does not say where the API is.' }),
  })
  .meta({ id: 'PingUrl' });

export const ping = z
  .object({
    seq: z.int(),
    at,
    kind: z.enum(PING_KINDS),
    exitStatus: z.int().nullable(),
    rid: z.string().nullable().meta({ description: 'Its run, as the job calls it.' }),
    durationMs: ms.nullable().meta({ description: 'Since the start that it ends.' }),
    method: z.string(),
    address: z.string().nullable(),
    body: z.string().nullable().meta({ description: 'The first 10 KiB of what came with it, masked.' }),
    bodyBytes: z.int(),
  })
  .meta({ id: 'Ping' });
