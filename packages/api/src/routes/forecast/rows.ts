import { DAY, MINUTE } from '@escapement/core';
import { labelsSeen, piecesOf, withPast } from '@escapement/operations';
import { z } from 'zod';
import { route } from '../../http/route.ts';
import { at, countIn, labelIn, ms } from '../../schemas/values.ts';
import { zoneIn } from '../tasks/change-of-task.ts';

const MOST_DAYS = 31;

/** What is made for an instant serves all that ask until the next such one: of a hundred thousand tasks it takes about a second. */
const EVERY_MS = 5 * MINUTE;

/** So that there are some thirty pieces on each side. */
const stepOf = (days: number) => (days <= 2 ? '1h' : days <= 8 ? '6h' : '1d');

const row = z.object({
  name: z.string().meta({ description: 'Of the task, or the key.' }),
  tasks: z.array(z.object({ id: z.string(), name: z.string() })).meta({ description: 'At most 20.' }),
  past: z
    .array(z.object({ succeeded: z.int(), failed: z.int(), missed: z.int(), notRun: z.int() }))
    .meta({ description: 'What became of the runs that were due in each piece of `past`, and have ended.' }),
  ahead: z
    .array(z.int())
    .nullable()
    .meta({ description: 'Starts in each piece of `ahead`; null: more than 50,000, which are not counted.' }),
  p50Ms: ms.nullable().meta({ description: 'How long half of its runs take at most; null: it is not known.' }),
});

export const getForecastRows = route({
  id: 'getForecastRows',
  method: 'GET',
  path: '/v1/forecast/rows',
  tag: 'forecast',
  summary: 'By task or key: what became of its runs, beside what its schedules will start, over the same time.',
  description:
    'The 40 with most at work ahead. Pieces are hours, six hours or days. `now` is the last full five minutes; what has changed since is in the answer.',
  right: 'read',
  on: () => 'some' as const,
  audit: null,
  missing: ['unknown_pool', 'unknown_key'],
  query: z.strictObject({
    by: z.enum(['task', 'key']).default('task'),
    days: countIn(1, MOST_DAYS, 7).meta({ description: 'So many days back, and so many ahead.' }),
    pool: z.string().max(63).optional(),
    label: labelIn,
    key: z.string().max(512).optional().meta({ description: 'Only of tasks whose runs have this key.' }),
    timeZone: zoneIn.meta({ description: 'Of the pieces.' }),
  }),
  answer: z
    .object({
      now: at,
      past: z.array(at).meta({ description: 'Where each piece before now begins.' }),
      ahead: z.array(at).meta({ description: 'Where each piece from now on begins; the first one is now.' }),
      to: at,
      rows: z.array(row),
      left: z.int().meta({ description: 'So many more have starts ahead.' }),
    })
    .meta({ id: 'ForecastRows' }),
  handle: async ({ db, by: who, clock, rowsAhead, query: { by, days, pool, key, label, timeZone } }) => {
    const now = new Date(Math.floor(clock.now().getTime() / EVERY_MS) * EVERY_MS);
    const to = new Date(now.getTime() + days * DAY);
    const step = { step: stepOf(days), timeZone } as const;
    const past = piecesOf({ from: new Date(now.getTime() - days * DAY), to: now }, step);
    const ahead = piecesOf({ from: now, to }, step);
    const labels = labelsSeen(db, who(), label);
    const found = await rowsAhead.read(db, { by, ahead, to, pool, key, labels });
    return { now, past, ahead, to, rows: await withPast(db, found, { past, now }), left: found.left };
  },
});
