import {
  drainWorker as drain,
  freezeFleet as freezeAll,
  listWorkers as list,
  requireWorker,
  resumeWorker as resume,
  unfreezeFleet as unfreezeAll,
} from '@escapement/operations';
import { fleetFigures, listProcesses, readFreeze } from '@escapement/store';
import { z } from 'zod';
import { route } from '../../http/route.ts';
import { figures, freeze, scheduler, worker } from '../../schemas/fleet.ts';
import { at, instantIn, reasonIn } from '../../schemas/values.ts';

const shows = { tag: 'fleet', right: 'read', on: () => null, audit: null } as const;

export const listWorkers = route({
  ...shows,
  id: 'listWorkers',
  method: 'GET',
  path: '/v1/workers',
  summary: 'The workers that are alive.',
  answer: z.object({ items: z.array(worker) }).meta({ id: 'Workers' }),
  handle: async ({ db, deadMs }) => ({ items: await list(db, { deadMs }) }),
});

export const listSchedulers = route({
  ...shows,
  id: 'listSchedulers',
  method: 'GET',
  path: '/v1/schedulers',
  summary: 'The schedulers that are alive.',
  answer: z.object({ items: z.array(scheduler) }).meta({ id: 'Schedulers' }),
  handle: async ({ db, deadMs }) => {
    const processes = await listProcesses(db, { withinMs: deadMs });
    return {
      items: processes
        .filter(({ role }) => role === 'scheduler')
        .map(({ id, host, pid, appVersion, tzVersion, heartbeatAgeMs, plannedAgeMs, clockOffsetMs }) => ({
          ...{ id, host, pid, appVersion, tzVersion, heartbeatAgeMs, plannedAgeMs, clockOffsetMs },
        })),
    };
  },
});

export const getFleet = route({
  ...shows,
  id: 'getFleet',
  method: 'GET',
  path: '/v1/fleet',
  summary: 'The fleet as numbers: what is due, waits and runs in each pool, and who is alive.',
  answer: figures,
  handle: async ({ db, deadMs }) => {
    const { queueBlocks: _, ...read } = await fleetFigures(db, { deadMs });
    return read;
  },
});

const ofWorker = {
  tag: 'fleet',
  params: z.object({
    id: z.string().min(1).max(250).meta({ description: 'The id of a worker, its beginning, or its name.' }),
  }),
  missing: ['unknown_worker'],
  right: 'pause',
  on: 'action',
  body: z.strictObject({ reason: reasonIn }),
} as const;

export const drainWorker = route({
  ...ofWorker,
  id: 'drainWorker',
  method: 'POST',
  path: '/v1/workers/:id/drain',
  summary: 'Have a worker take nothing new; what is under way goes on.',
  audit: 'drain',
  answer: worker,
  handle: async ({ db, by, deadMs, params: { id }, body }) => {
    await drain(db, id, by(body.reason), { deadMs });
    return await requireWorker(db, id, { deadMs });
  },
});

export const resumeWorker = route({
  ...ofWorker,
  id: 'resumeWorker',
  method: 'POST',
  path: '/v1/workers/:id/resume',
  summary: 'Have a worker that is being drained take runs again.',
  audit: 'resume',
  answer: z.object({ resumed: z.boolean() }).meta({ id: 'WorkerResumed' }),
  handle: async ({ db, by, deadMs, params: { id }, body }) => ({
    resumed: await resume(db, id, by(body.reason), { deadMs }),
  }),
});

export const getFreeze = route({
  ...shows,
  id: 'getFreeze',
  method: 'GET',
  path: '/v1/freeze',
  summary: 'Whether all tasks are paused.',
  // It is about the tasks of everybody.
  on: () => 'some' as const,
  answer: z.object({ freeze: freeze.nullable() }).meta({ id: 'FreezeNow' }),
  handle: async ({ db }) => ({ freeze: await readFreeze(db) }),
});

export const freezeFleet = route({
  id: 'freezeFleet',
  method: 'PUT',
  path: '/v1/freeze',
  tag: 'fleet',
  summary: 'Pause all tasks from now on; each occurrence that falls due is a row with the reason.',
  right: 'pause',
  on: 'action',
  audit: 'freeze',
  body: z.strictObject({
    reason: z.string().min(1).max(1000),
    untilAt: instantIn.nullable().default(null).meta({ description: 'When it ends by itself; null: it does not.' }),
  }),
  answer: z.object({ untilAt: at.nullable() }).meta({ id: 'Frozen' }),
  handle: async ({ db, by, body: { reason, untilAt } }) => {
    await freezeAll(db, untilAt, by(reason));
    return { untilAt };
  },
});

export const unfreezeFleet = route({
  id: 'unfreezeFleet',
  method: 'DELETE',
  path: '/v1/freeze',
  tag: 'fleet',
  summary: 'End the freeze; what was skipped is not run later.',
  right: 'pause',
  on: 'action',
  audit: 'unfreeze',
  query: z.strictObject({ reason: reasonIn }),
  answer: z.object({ ended: z.boolean() }).meta({ id: 'Unfrozen' }),
  handle: async ({ db, by, query }) => ({ ended: await unfreezeAll(db, by(query.reason)) }),
});
