import {
  createMonitor as create,
  editMonitor,
  type MonitorNow,
  monitorNow,
  pauseMonitor as pause,
  deleteMonitor as remove,
  renewMonitorUrl as renew,
  requireMonitor,
  resumeMonitor as resume,
} from '@escapement/operations';
import { listMonitors as list, monitorPings } from '@escapement/store';
import { z } from 'zod';
import { cursorOf, placeOf } from '../../http/cursor.ts';
import { type RequestContext, route } from '../../http/route.ts';
import { changedIn, expectedIn, monitor, monitorParams, ping, pingUrl } from '../../schemas/monitor.ts';
import { afterIn, countIn, instantIn, pageOf, reasonIn } from '../../schemas/values.ts';

const shows = { tag: 'monitors', method: 'GET', right: 'read', on: () => null, audit: null } as const;
const actions = { tag: 'monitors', on: 'action' } as const;
const ofOne = { ...actions, params: monitorParams, missing: ['unknown_monitor'] } as const;
const reasoned = z.strictObject({ reason: reasonIn });

function answerOf({ spec, status: monitorStatus, pings, troubles, ...kept }: MonitorNow) {
  const { now: _, window: __, revision: ___, intake: ____, ...others } = kept;
  const { maxRunMs = null, ...expected } = spec;
  const wrong = troubles.map(({ kind, since }) => ({ kind, since }));
  return {
    ...others,
    troubles: wrong,
    ...expected,
    maxRunMs,
    ...monitorStatus,
    running: [...monitorStatus.running],
    pings: String(pings),
  };
}

function urlOf({ apiUrl }: Pick<RequestContext, 'apiUrl'>, name: string, pingId: string): z.output<typeof pingUrl> {
  const path = `/ping/${pingId}`;
  return { name, pingId, path, url: apiUrl === undefined ? null : `${apiUrl}${path}` };
}

export const listMonitors = route({
  ...shows,
  id: 'listMonitors',
  path: '/v1/monitors',
  summary: 'Jobs that run elsewhere and ping, by name.',
  query: z.strictObject({ after: afterIn, limit: countIn(1, 1000, 100) }),
  answer: pageOf(monitor).meta({ id: 'Monitors' }),
  handle: async ({ db, query: { after, limit } }) => {
    const place = after === undefined ? {} : { after: placeOf(z.object({ name: z.string() }), after).name };
    const items = (await list(db, { ...place, limit })).map((each) => answerOf(monitorNow(each)));
    const last = items.at(-1);
    return { items, next: items.length === limit && last ? cursorOf({ name: last.name }) : null };
  },
});

export const getMonitor = route({
  ...shows,
  id: 'getMonitor',
  path: '/v1/monitors/:name',
  summary: 'A job that runs elsewhere: what is expected of it, and how it is.',
  params: monitorParams,
  missing: ['unknown_monitor'],
  answer: monitor,
  handle: async ({ db, params }) => answerOf(await requireMonitor(db, params.name)),
});

export const listPings = route({
  ...shows,
  id: 'listPings',
  path: '/v1/monitors/:name/pings',
  summary: 'The latest pings of a job, the last one first; 1,000 of each are kept, for 90 days.',
  right: 'read-payload',
  params: monitorParams,
  missing: ['unknown_monitor'],
  query: z.strictObject({ after: afterIn, limit: countIn(1, 1000, 50) }),
  answer: pageOf(ping).meta({ id: 'Pings' }),
  handle: async ({ db, params: { name }, query: { after, limit } }) => {
    await requireMonitor(db, name);
    const before = after === undefined ? undefined : placeOf(z.object({ before: z.int() }), after).before;
    const items = await monitorPings(db, name, { before, limit });
    const last = items.at(-1);
    return { items, next: items.length === limit && last ? cursorOf({ before: last.seq }) : null };
  },
});

export const createMonitor = route({
  ...actions,
  id: 'createMonitor',
  method: 'POST',
  path: '/v1/monitors',
  summary: 'Watch a job that runs elsewhere. The URL that it pings is told in this answer and never again.',
  right: 'edit',
  audit: 'create',
  body: z.strictObject({ reason: reasonIn, name: monitorParams.shape.name, ...expectedIn }),
  status: 201,
  answer: pingUrl,
  handle: async (asked) => {
    const { db, by, body } = asked;
    const { reason, name, ...input } = body;
    const { pingId } = await create(db, name, input, by(reason));
    return urlOf(asked, name, pingId);
  },
});

export const patchMonitor = route({
  ...ofOne,
  id: 'patchMonitor',
  method: 'PATCH',
  path: '/v1/monitors/:name',
  summary: 'Change what is expected of a job; what is left out stays.',
  right: 'edit',
  audit: 'edit',
  query: z.strictObject({ reason: reasonIn }),
  body: z.strictObject(changedIn),
  answer: monitor,
  handle: async ({ db, by, params, query, body }) => {
    await editMonitor(db, params.name, body, by(query.reason));
    return answerOf(await requireMonitor(db, params.name));
  },
});

export const pauseMonitor = route({
  ...ofOne,
  id: 'pauseMonitor',
  method: 'POST',
  path: '/v1/monitors/:name/pause',
  summary: 'Expect nothing of a job for a while. Its pings are taken all the same.',
  right: 'pause',
  audit: 'pause',
  body: reasoned.extend({ untilAt: instantIn.nullable().default(null).meta({ description: 'null: until resumed.' }) }),
  answer: monitor,
  handle: async ({ db, by, params, body: { reason, untilAt } }) => {
    await pause(db, params.name, untilAt, by(reason));
    return answerOf(await requireMonitor(db, params.name));
  },
});

export const resumeMonitor = route({
  ...ofOne,
  id: 'resumeMonitor',
  method: 'POST',
  path: '/v1/monitors/:name/resume',
  summary: 'Expect the pings of a job again, from now on.',
  right: 'pause',
  audit: 'resume',
  body: reasoned,
  answer: z.object({ name: z.string(), wasPaused: z.boolean() }).meta({ id: 'MonitorResumed' }),
  handle: async ({ db, by, params: { name }, body }) => ({ name, wasPaused: await resume(db, name, by(body.reason)) }),
});

export const renewPingUrl = route({
  ...ofOne,
  id: 'renewPingUrl',
  method: 'POST',
  path: '/v1/monitors/:name/url',
  summary: 'Give a job another URL. The one before is of no use from then on.',
  right: 'edit',
  audit: 'new url',
  body: reasoned,
  answer: pingUrl,
  handle: async (asked) => {
    const { name } = asked.params;
    const { pingId } = await renew(asked.db, name, asked.by(asked.body.reason));
    return urlOf(asked, name, pingId);
  },
});

export const deleteMonitor = route({
  ...ofOne,
  id: 'deleteMonitor',
  method: 'DELETE',
  path: '/v1/monitors/:name',
  summary: 'Watch a job no more. Its pings go, and its alerts end.',
  right: 'edit',
  audit: 'delete',
  query: z.strictObject({ reason: reasonIn }),
  answer: z.object({ name: z.string() }).meta({ id: 'MonitorDeleted' }),
  handle: async ({ db, by, params: { name }, query }) => {
    await remove(db, name, by(query.reason));
    return { name };
  },
});
