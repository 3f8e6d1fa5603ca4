import { DAY } from '@escapement/core';
import { zoneReport } from '@escapement/operations';
import { z } from 'zod';
import { route } from '../../http/route.ts';
import { at, countIn } from '../../schemas/values.ts';

/** Fires of a task that are compared: a task that is due each minute has so many in a year. */
const MOST_COMPARED = 600_000;

const fires = <Fire extends z.ZodType>(fire: Fire) => z.object({ count: z.int(), first: z.array(fire) });

const task = z.object({
  name: z.string(),
  added: fires(at),
  removed: fires(at),
  moved: fires(z.object({ from: at, to: at })),
  kept: z.int(),
  truncated: z.boolean().meta({ description: 'There are more fires than were compared.' }),
  comparedTo: at,
});

export const listTimeZones = route({
  id: 'listTimeZones',
  method: 'GET',
  path: '/v1/time-zones',
  tag: 'forecast',
  summary: 'By which time zone data tasks are planned, and which of their fires are others by newer data.',
  right: 'read',
  on: () => null,
  audit: null,
  query: z.strictObject({
    days: countIn(1, 1100, 400).meta({ description: 'Fires of the next so many days are compared.' }),
    sinceDays: countIn(1, 1100, 90).meta({ description: 'Changes of the last so many days are told.' }),
  }),
  answer: z
    .object({
      tzVersion: z.string().meta({ description: 'Of the data of the process that answers.' }),
      zones: z.array(
        z.object({
          zone: z.string(),
          tzVersion: z
            .string()
            .nullable()
            .meta({ description: 'By which its tasks are planned; null: it is not written down yet.' }),
          since: at.nullable(),
          change: z
            .object({
              kind: z.enum(['made', 'ahead', 'behind']).meta({
                description:
                  '`made`: schedulers have gone over to newer data. `ahead`, `behind`: who answers has newer data than they, or older.',
              }),
              was: z.string(),
              is: z.string(),
              differences: z.array(
                z.object({
                  from: at,
                  to: at.nullable(),
                  was: z.number().meta({ description: 'Seconds from UTC.' }),
                  is: z.number(),
                }),
              ),
              tasks: z.array(task),
            })
            .nullable(),
        }),
      ),
    })
    .meta({ id: 'TimeZones' }),
  handle: async ({ db, clock, query: { days, sinceDays } }) => {
    const from = clock.now();
    const tzVersion = process.versions.tz ?? 'unknown';
    const zones = await zoneReport(db, {
      ...{ tzVersion, from, since: new Date(from.getTime() - sinceDays * DAY) },
      ...{ to: new Date(from.getTime() + days * DAY), atMost: MOST_COMPARED },
    });
    return { tzVersion, zones };
  },
});
