import { DRIFT_KINDS } from '@escapement/core';
import {
  examineQueue as compareTwice,
  examineDatabase,
  examineProduction,
  examineRedisOfFleet,
  inTime,
} from '@escapement/operations';
import { z } from 'zod';
import { route } from '../http/route.ts';
import { at, bigNumber, flagIn } from '../schemas/values.ts';

const finding = z.object({
  subject: z.string().meta({ description: 'What it is about: `Postgres`, `Redis`, `Schedulers`, `Workers`.' }),
  level: z.enum(['ok', 'warning', 'problem']).meta({
    description: '`problem`: something does not work, or may lose data. `warning`: worth knowing.',
  }),
  detail: z.string(),
  fix: z.string().optional().meta({ description: 'What to do about it.' }),
  page: z.string().optional().meta({
    description:
      'The page of the documents that says more, with its heading: a path in the repository, and in the package `escapement`. Every finding of `production` has one.',
  }),
});

export const examineFleet = route({
  id: 'examineFleet',
  fromPrimary: true,
  method: 'GET',
  path: '/v1/doctor',
  tag: 'doctor',
  summary: 'Checks servers, dangerous settings, clocks, schedulers and workers.',
  description:
    'As `escapement doctor`, by the settings of this server. A scheduler looks at Redis; that none answers within three seconds is a `problem`. So is a part that takes longer than 20 seconds: the answer does not wait for it.',
  right: 'read',
  on: () => null,
  audit: null,
  query: z.strictObject({
    production: flagIn.meta({
      description: 'Also what matters where people rely on the fleet: backups, spare processes, limits, roles, tokens.',
    }),
  }),
  answer: z
    .object({ ok: z.boolean().meta({ description: 'Without a problem.' }), findings: z.array(finding) })
    .meta({ id: 'Examination' }),
  handle: async ({ db, by, query, clock, deadMs, maxClockOffsetMs, allowEviction, defaults }) => {
    const terms = { clock, deadMs, maxClockOffsetMs, defaults, self: 'this server' };
    const parts = await Promise.all([
      inTime('Postgres', examineDatabase(db, terms)),
      inTime('Redis', examineRedisOfFleet(db, { deadMs, maxClockOffsetMs, allowEviction }, by())),
      ...(query.production ? [inTime('Production', examineProduction(db, terms))] : []),
    ]);
    const findings = parts.flat();
    return { ok: findings.every(({ level }) => level !== 'problem'), findings };
  },
});

export const examineQueue = route({
  id: 'examineQueue',
  fromPrimary: true,
  method: 'GET',
  path: '/v1/doctor/queue',
  tag: 'doctor',
  summary:
    'Compares the queue in Redis, the leases and the slots with the ledger, twice within some seconds. Changes nothing.',
  description:
    'As `escapement doctor --queue`. A scheduler looks at Redis; where none does, the ledger is looked at alone, and that is a problem.',
  right: 'read',
  on: () => null,
  audit: null,
  answer: z
    .object({
      ok: z.boolean().meta({ description: 'Without a problem.' }),
      problems: z.array(z.string()),
      drift: z.array(
        z.object({
          kind: z.enum(DRIFT_KINDS),
          found: z.int().meta({ description: 'What the second look found.' }),
          lasting: z.int().meta({ description: 'What both found, although a reconciler makes a pass each second.' }),
          examples: z.array(z.string()),
          repairedAt: at.nullable(),
          repaired: bigNumber.meta({ description: 'How many were ever repaired.' }),
        }),
      ),
      passes: z.record(z.string(), at).meta({ description: 'When each reconciler last began a pass.' }),
    })
    .meta({ id: 'QueueExamination' }),
  handle: async ({ db, by, clock, deadMs }) => await compareTwice(db, { clock, deadMs }, by()),
});
