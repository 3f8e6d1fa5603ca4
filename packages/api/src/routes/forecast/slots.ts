import { DAY_MINUTES, readDays, readDayWindow } from '@escapement/core/forecast';
import { parseSchedule } from '@escapement/core/schedule';
import { quietSlots } from '@escapement/operations';
import { z } from 'zod';
import { route } from '../../http/route.ts';
import { countIn } from '../../schemas/values.ts';

const ALL_DAY = '00:00-23:59';

export const listQuietSlots = route({
  id: 'listQuietSlots',
  method: 'GET',
  path: '/v1/forecast/slots',
  tag: 'forecast',
  summary: 'The quietest times of day, for something that is still to be scheduled.',
  description:
    'Numbers are those of the worst of the days. What takes a time that is not known counts in `starts` alone.',
  right: 'read',
  on: () => null,
  audit: null,
  missing: ['unknown_pool'],
  query: z.strictObject({
    minutes: z.coerce.number().int().min(1).max(DAY_MINUTES).meta({ description: 'How long it would be at work.' }),
    window: z.string().max(20).default(ALL_DAY).transform(readDayWindow('window')).meta({
      description: 'It may start from then to then. The second time may be before the first: then midnight is in it.',
    }),
    every: z
      .string()
      .max(100)
      .default('day')
      .transform(readDays('every'))
      .meta({ description: 'On which days: `day`, or as in a cron expression: `mon-fri`, `sat,sun`.' }),
    days: countIn(1, 60, 7).meta({ description: 'What will be at work is looked at for so many days.' }),
    count: countIn(1, 100, 5).meta({ description: 'How many times of day.' }),
    pool: z.string().max(63).optional().meta({ description: 'Beside the tasks of one pool only.' }),
    timeZone: z.string().max(64).default('UTC').meta({ description: 'Of the times.' }),
  }),
  answer: z
    .object({
      minutes: z.int(),
      days: z.int(),
      timeZone: z.string(),
      slots: z.array(
        z.object({
          minute: z.int().meta({ description: 'Since midnight.' }),
          p50: z
            .int()
            .meta({ description: 'At work at once beside it, if runs take as long as half of their task do.' }),
          p95: z.int().meta({ description: 'If they take as long as only 5 % do.' }),
          starts: z.int().meta({ description: 'Runs that start while it is at work, over all days.' }),
          time: z.string().meta({ description: 'As 01:05.' }),
          expression: z.string().meta({ description: 'The cron expression of the slot.' }),
        }),
      ),
      unmeasured: z.object({ tasks: z.int(), runs: z.int(), first: z.array(z.string()) }),
    })
    .meta({ id: 'QuietSlots' }),
  handle: async ({ db, clock, deadMs, query }) => {
    const { minutes, days, timeZone } = query;
    parseSchedule({ kind: 'cron', expression: '* * * * *', timeZone });
    return { minutes, days, timeZone, ...(await quietSlots(db, { ...query, deadMs, now: clock.now() })) };
  },
});
