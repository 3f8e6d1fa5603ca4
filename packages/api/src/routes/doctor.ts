import { examineDatabase, examineRedisOfFleet } from '@escapement/operations';
import { z } from 'zod';
import { route } from '../http/route.ts';

const finding = z.object({
  subject: z.string().meta({ description: 'What it is about: `Postgres`, `Redis`, `Schedulers`, `Workers`.' }),
  level: z.enum(['ok', 'warning', 'problem']).meta({
    description: '`problem`: something does not work, or may lose data. `warning`: worth knowing.',
  }),
  detail: z.string(),
  fix: z.string().optional().meta({ description: 'What to do about it.' }),
});

export const examineFleet = route({
  id: 'examineFleet',
  method: 'GET',
  path: '/v1/doctor',
  tag: 'doctor',
  summary: 'Checks servers, dangerous settings, clocks, schedulers and workers.',
  description:
    'As `escapement doctor`, by the settings of this server. A scheduler looks at Redis; that none answers within three seconds is a `problem`.',
  right: 'read',
  on: () => null,
  audit: null,
  answer: z
    .object({ ok: z.boolean().meta({ description: 'Without a problem.' }), findings: z.array(finding) })
    .meta({ id: 'Examination' }),
  handle: async ({ db, by, clock, deadMs, maxClockOffsetMs, allowEviction, defaults }) => {
    const terms = { clock, deadMs, maxClockOffsetMs, defaults, self: 'this server' };
    const [database, redis] = await Promise.all([
      examineDatabase(db, terms),
      examineRedisOfFleet(db, { deadMs, maxClockOffsetMs, allowEviction }, by()),
    ]);
    const findings = [...database, ...redis];
    return { ok: findings.every(({ level }) => level !== 'problem'), findings };
  },
});
