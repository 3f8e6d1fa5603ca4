import { calendarName } from '@escapement/core';
import { deleteCalendar as remove, saveCalendar as save, unknownCalendar } from '@escapement/operations';
import { listCalendars as list, tasksUsing } from '@escapement/store';
import { z } from 'zod';
import { route } from '../../http/route.ts';
import { calendarIn } from '../../schemas/calendar.ts';
import { calendar } from '../../schemas/fleet.ts';
import { reasonIn } from '../../schemas/values.ts';

const params = z.object({ name: calendarName.meta({ description: 'The name of a calendar.' }) });
const inUse = calendar.extend({ tasks: z.array(z.string()) }).meta({ id: 'CalendarInUse' });
const shows = { tag: 'calendars', right: 'read', on: () => null, audit: null } as const;
const changes = { tag: 'calendars', right: 'edit', on: 'act', params, missing: ['unknown_calendar'] } as const;

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
  handle: async ({ db, params: { name } }) => {
    const all = await list(db);
    const found = all.find((each) => each.name === name);
    if (!found) throw unknownCalendar(name, all);
    return { ...found, tasks: await tasksUsing(db, name) };
  },
});

export const saveCalendar = route({
  ...changes,
  id: 'saveCalendar',
  method: 'PUT',
  path: '/v1/calendars/:name',
  summary: 'Make a calendar, or replace it. The tasks that use it are planned anew from now on.',
  audit: 'save',
  query: z.strictObject({ reason: reasonIn }),
  body: calendarIn,
  answer: z
    .object({ kind: z.enum(['created', 'updated', 'unchanged']), version: z.int(), tasks: z.array(z.string()) })
    .meta({ id: 'CalendarSaved' }),
  handle: async ({ db, by, params: { name }, query, body }) => await save(db, name, body, by(query.reason)),
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
