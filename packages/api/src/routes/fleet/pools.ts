import { HOUR, MINUTE, poolName } from '@escapement/core';
import {
  listPools as list,
  pausePool as pause,
  poolDemand,
  resumePool as resume,
  setPool as set,
  showPool,
} from '@escapement/operations';
import { z } from 'zod';
import { route } from '../../http/route.ts';
import { pool } from '../../schemas/fleet.ts';
import { at, countIn, instantIn, reasonIn } from '../../schemas/values.ts';

const params = z.object({ name: poolName.meta({ description: 'The name of a pool.' }) });
const about = { tag: 'pools', params, missing: ['unknown_pool'] } as const;
const shows = { right: 'read', on: () => null, audit: null } as const;

export const listPools = route({
  ...shows,
  id: 'listPools',
  method: 'GET',
  path: '/v1/pools',
  tag: 'pools',
  summary: 'All pools, with their workers and what waits in them.',
  answer: z.object({ items: z.array(pool) }).meta({ id: 'Pools' }),
  handle: async ({ db, deadMs }) => ({ items: await list(db, { deadMs }) }),
});

export const getPool = route({
  ...about,
  ...shows,
  id: 'getPool',
  method: 'GET',
  path: '/v1/pools/:name',
  summary: 'A pool.',
  answer: pool,
  handle: async ({ db, deadMs, params: { name } }) => await showPool(db, name, { deadMs }),
});

const count = (description: string) => z.number().meta({ description });

export const getPoolDemand = route({
  ...about,
  ...shows,
  id: 'getPoolDemand',
  method: 'GET',
  path: '/v1/pools/:name/demand',
  summary: 'How much a pool has to do now and soon, for what starts and stops its workers.',
  query: z.strictObject({
    leadMs: countIn(0, HOUR, MINUTE).meta({
      description: 'How long before it is due a run counts: as long as a worker takes to start.',
    }),
  }),
  answer: z
    .object({
      runs: count('Places at workers that are wanted: the sum of the following.'),
      running: count('Runs at work.'),
      due: count('Runs that are due and have not begun; 0 while the pool is paused for longer than leadMs.'),
      waiting: count('Keys for which runs wait, each counted once; 0 as above.'),
      soon: count('Tasks with a run that falls due within leadMs, each counted once; 0 as above.'),
    })
    .meta({ id: 'PoolDemand' }),
  handle: async ({ db, params: { name }, query: { leadMs } }) => {
    const { running, due, waiting, soon } = await poolDemand(db, name, { leadMs });
    return { runs: running + due + waiting + soon, running, due, waiting, soon };
  },
});

export const setPool = route({
  ...about,
  id: 'setPool',
  method: 'PATCH',
  path: '/v1/pools/:name',
  summary: 'Write down what is expected of a pool. What is left out stays.',
  right: 'edit',
  on: 'action',
  audit: 'set',
  body: z.strictObject({
    reason: reasonIn,
    expectedWorkers: z.int().min(0).max(100_000).nullable().optional(),
    priorities: z.boolean().optional().meta({ description: 'Whether the priorities of tasks count.' }),
    rate: z
      .strictObject({ limit: z.int().min(1), perMs: z.int().min(1) })
      .nullable()
      .optional()
      .meta({ description: 'So many of its runs may start within so long; null: as many as there are.' }),
  }),
  answer: pool,
  handle: async ({ db, by, deadMs, params: { name }, body: { reason, ...settings } }) => {
    await set(db, name, settings, by(reason));
    return await showPool(db, name, { deadMs });
  },
});

export const pausePool = route({
  ...about,
  id: 'pausePool',
  method: 'POST',
  path: '/v1/pools/:name/pause',
  summary: 'No run of the pool begins from now on; what is under way goes on.',
  right: 'pause',
  on: 'action',
  audit: 'pause',
  body: z.strictObject({ reason: reasonIn, untilAt: instantIn.nullable().default(null) }),
  answer: z.object({ untilAt: at.nullable() }).meta({ id: 'PoolPaused' }),
  handle: async ({ db, by, params: { name }, body: { reason, untilAt } }) => {
    await pause(db, name, untilAt, by(reason));
    return { untilAt };
  },
});

export const resumePool = route({
  ...about,
  id: 'resumePool',
  method: 'POST',
  path: '/v1/pools/:name/resume',
  summary: 'End the pause of a pool, and what other programs have done to its queues in Redis.',
  right: 'pause',
  on: 'action',
  audit: 'resume',
  body: z.strictObject({ reason: reasonIn }),
  answer: z.object({ resumed: z.boolean() }).meta({ id: 'PoolResumed' }),
  handle: async ({ db, by, params: { name }, body }) => ({ resumed: await resume(db, name, by(body.reason)) }),
});
