import { calendarName } from '@escapement/core/schedule';
import { calendarEffect, deleteCalendar as remove, replaceCalendar, unknownCalendar } from '@escapement/operations';
import { type Database, listCalendars as list, pingDatabase, tasksUsing } from '@escapement/store';
import { z } from 'zod';
import { route } from '../../http/route.ts';
import { calendarIn, effect, yearIn } from '../../schemas/calendar.ts';
import { calendar } from '../../schemas/fleet.ts';
import { reasonIn } from '../../schemas/values.ts';
import { refuseOtherVersion, wantedVersion } from '../tasks/wanted-version.ts';

const params = z.object({ name: calendarName.meta({ description: 'The name of a calendar.' }) });
const inUse = calendar.extend({ tasks: z.array(z.string()) }).meta({ id: 'CalendarInUse' });
const shows = { tag: 'calendars', right: 'read', on: () => null, audit: null } as const;
const changes = { tag: 'calendars', right: 'edit', on: 'action', params, missing: ['unknown_calendar'] } as const;

export const listCalendars = route({
  ...shows,
  id: 'listCalendars',
  method: 'GET',
  path: '/v1/calendars',
  summary: 'All calendars, and the tasks that use each.',
  answer: z.object({ items: z.array(inUse) }).meta({ id: 'Calendars' }),
  handle: async ({ db }) => {
    const all = await list(db);
    return { items: await Promise.all(all.map(async (each) => ({ ...each, tasks: await tasksUsing(db, each.name) }))) };
  },
});

export const getCalendar = route({
  ...shows,
  id: 'getCalendar',
  method: 'GET',
  path: '/v1/calendars/:name',
  summary: 'A calendar, and the tasks that use it.',
  params,
  missing: ['unknown_calendar'],
  answer: inUse,
  handle: async ({ db, params: { name } }) => ({ ...(await stored(db, name)), tasks: await tasksUsing(db, name) }),
});

async function stored(db: Database, name: string) {
  const all = await list(db);
  const found = all.find((each) => each.name === name);
  if (!found) throw unknownCalendar(name, all);
  return found;
}

export const getCalendarEffect = route({
  ...shows,
  id: 'getCalendarEffect',
  method: 'GET',
  path: '/v1/calendars/:name/effect',
  summary: 'The days of a year that a calendar excludes, and what it takes out of the next occurrences of its tasks.',
  params,
  missing: ['unknown_calendar'],
  query: z.strictObject({ year: yearIn }),
  answer: effect,
  handle: async ({ db, params: { name }, query }) => await effectOf(db, await stored(db, name), query.year),
});

export const previewCalendar = route({
  ...shows,
  id: 'previewCalendar',
  method: 'POST',
  path: '/v1/calendars/preview',
  summary: 'The same of a calendar that is not saved: what would be excluded. Nothing is written.',
  right: 'edit',
  body: z.strictObject({
    name: calendarName.meta({ description: 'Of which it would be the definition; there need not be one yet.' }),
    definition: calendarIn,
    year: yearIn,
  }),
  answer: effect,
  handle: async ({ db, body: { year, ...calendar } }) => await effectOf(db, calendar, year),
});

async function effectOf(db: Database, calendar: Parameters<typeof calendarEffect>[1], year: number | undefined) {
  const { now } = await pingDatabase(db);
  return await calendarEffect(db, calendar, { year: year ?? now.getUTCFullYear(), now });
}

export const saveCalendar = route({
  ...changes,
  id: 'saveCalendar',
  method: 'PUT',
  path: '/v1/calendars/:name',
  summary: 'Make a calendar, or replace it. The tasks that use it are planned anew from now on.',
  headers: {
    'If-Match':
      'Replace this version only, else 412: `version` of the calendar, as `"3"`; `"0"`: only where there is none.',
  },
  audit: 'save',
  query: z.strictObject({ reason: reasonIn }),
  body: calendarIn,
  answer: z
    .object({ kind: z.enum(['created', 'updated', 'unchanged']), version: z.int(), tasks: z.array(z.string()) })
    .meta({ id: 'CalendarSaved' }),
  handle: async (asked) => {
    const { db, by, params: of, query, body } = asked;
    const wanted = wantedVersion(asked);
    return await replaceCalendar(db, { name: of.name, definition: body }, by(query.reason), (version) =>
      refuseOtherVersion(wanted, { version, what: `the calendar ${of.name} has` }),
    );
  },
});

export const deleteCalendar = route({
  ...changes,
  id: 'deleteCalendar',
  method: 'DELETE',
  path: '/v1/calendars/:name',
  summary: 'Delete a calendar that neither a task nor a route of alerts uses.',
  audit: 'delete',
  query: z.strictObject({ reason: reasonIn }),
  answer: z.object({ deleted: z.literal(true) }).meta({ id: 'CalendarDeleted' }),
  handle: async ({ db, by, params: { name }, query }) => {
    await remove(db, name, by(query.reason));
    return { deleted: true as const };
  },
});
