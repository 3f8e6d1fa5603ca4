import { systemClock } from '@escapement/core';
import {
  addToList,
  createMonitor,
  createToken,
  createUser,
  disableUser,
  freezeFleet,
  pauseMonitor,
  saveCalendar,
  setPool,
  startBackfill,
} from '@escapement/operations';
import { writeHeartbeat } from '@escapement/store';
import { by, runningRun } from '@escapement/testkit';
import type { Example, Fixture } from '../example.ts';

const ROOT = by('root');
const HOUR_MS = 3_600_000;
const ago = (ms: number) => new Date(systemClock.now().getTime() - ms);

/** A worker that lives. */
async function aWorker({ db, name }: Fixture): Promise<string> {
  const id = `worker-of-${name}`;
  await writeHeartbeat(
    db,
    { id, role: 'worker', host: 'h', pid: 1, appVersion: '0', pools: ['default'], name },
    { activeRuns: [], clockOffsetMs: 0 },
  );
  return id;
}

const ofWorker = async (of: Fixture): Promise<Example> => ({
  params: { id: await aWorker(of) },
  body: { reason: 'moving' },
});
const CALENDAR = { timeZone: 'UTC', entries: [{ dates: ['2030-12-25'], name: 'Christmas' }] };

async function aCalendar({ db, name }: Fixture): Promise<Example> {
  const calendar = `calendar-of-${name}`;
  await saveCalendar(db, calendar, CALENDAR, ROOT);
  return { params: { name: calendar } };
}

async function aPool({ db, name }: Fixture): Promise<Example> {
  const pool = `pool-${name}`;
  await setPool(db, pool, { expectedWorkers: 1 }, ROOT);
  return { params: { name: pool } };
}

async function aList({ db, name }: Fixture): Promise<Example> {
  await addToList(db, `list-${name}`, [{ a: 1 }], ROOT);
  return { query: { list: `list-${name}` } };
}

async function aMonitor({ db, name }: Fixture): Promise<Example> {
  const monitor = `monitor-${name}`;
  await createMonitor(db, monitor, DAILY, ROOT);
  return { params: { name: monitor } };
}

const DAILY = { schedule: { kind: 'every', everyMs: 24 * HOUR_MS } } as const;

const range = ({ name }: Fixture) => ({
  task: name,
  fromAt: ago(5 * HOUR_MS).toISOString(),
  toAt: ago(1000).toISOString(),
});

async function aBackfill(of: Fixture): Promise<string> {
  return await startBackfill(of.db, { task: of.name, fromAt: ago(5 * HOUR_MS), toAt: ago(1000), by: ROOT });
}

/** Requests about the fleet, and about who may do what. */
export const FLEET_EXAMPLES: Record<string, (of: Fixture) => Example | Promise<Example>> = {
  listMonitors: () => ({ query: { limit: '2' } }),
  getMonitor: aMonitor,
  listPings: aMonitor,
  createMonitor: ({ name }) => ({
    body: { name: `new-${name}`, ...DAILY, labels: { team: 'shop' }, reason: 'moved' },
  }),
  patchMonitor: async (of) => ({
    ...(await aMonitor(of)),
    body: { graceMs: 60_000 },
    query: { reason: 'too late' },
  }),
  pauseMonitor: async (of) => ({ ...(await aMonitor(of)), body: { reason: 'moving' } }),
  resumeMonitor: async (of) => {
    const { params } = await aMonitor(of);
    await pauseMonitor(of.db, `monitor-${of.name}`, null, ROOT);
    return { params: params ?? {}, body: { reason: 'moved' } };
  },
  renewPingUrl: async (of) => ({ ...(await aMonitor(of)), body: { reason: 'it was in a log' } }),
  deleteMonitor: async (of) => ({ ...(await aMonitor(of)), query: { reason: 'gone' } }),
  listKeys: () => ({ query: { limit: '5' } }),
  listKeyHistory: ({ name }) => ({ query: { key: name } }),
  getKey: ({ name }) => ({ query: { key: `${name}-ended` } }),
  releaseKey: async ({ db, name }) => {
    await runningRun(db, `${name}-held`);
    return { query: { key: `${name}-held` }, body: { reason: 'its worker is gone' } };
  },
  listPools: () => ({}),
  getPool: aPool,
  getPoolDemand: async (of) => ({ ...(await aPool(of)), query: { leadMs: '30000' } }),
  setPool: async (of) => ({ ...(await aPool(of)), body: { rate: { limit: 5, perMs: 1000 }, priorities: true } }),
  pausePool: async (of) => ({ ...(await aPool(of)), body: { reason: 'moving', untilAt: '2126-01-01T00:00:00Z' } }),
  resumePool: async (of) => {
    const example = await aPool(of);
    await of.ask({ method: 'POST', path: `/v1/pools/${example.params?.name}/pause`, body: {} });
    return { ...example, body: {} };
  },
  getFleet: () => Promise.resolve({}),
  getApi: () => ({}),
  listWorkers: async (of) => {
    await aWorker(of);
    return {};
  },
  listSchedulers: async ({ db, name }) => {
    const process = {
      id: `scheduler-of-${name}`,
      role: 'scheduler',
      host: 'h',
      pid: 1,
      appVersion: '0',
      pools: [],
    } as const;
    await writeHeartbeat(db, process, { activeRuns: [], clockOffsetMs: 0, plannedAgeMs: 10 });
    return {};
  },
  drainWorker: ofWorker,
  resumeWorker: async (of) => {
    const example = await ofWorker(of);
    await of.ask({ method: 'POST', path: `/v1/workers/${example.params?.id}/drain`, body: {} });
    return example;
  },
  getFreeze: async ({ db }) => {
    await freezeFleet(db, new Date('2126-01-01T00:00:00Z'), by('root', 'moving'));
    return {};
  },
  freezeFleet: () => ({ body: { reason: 'moving', untilAt: '2126-01-01T00:00:00Z' } }),
  unfreezeFleet: async ({ db }) => {
    await freezeFleet(db, null, by('root', 'moving'));
    return {};
  },
  listCalendars: async (of) => {
    await aCalendar(of);
    return {};
  },
  getCalendar: aCalendar,
  getCalendarEffect: async (of) => ({ ...(await aCalendar(of)), query: { year: '2030' } }),
  previewCalendar: ({ name }) => ({ body: { name: `new-${name}`, definition: CALENDAR, year: 2030 } }),
  saveCalendar: ({ name }) => ({ params: { name: `new-${name}` }, body: CALENDAR }),
  deleteCalendar: aCalendar,
  listWorkLists: async (of) => {
    await aList(of);
    return {};
  },
  listWorkItems: aList,
  addWorkItems: ({ name }) => ({ query: { list: name }, body: { items: [1, 'two', { three: 3 }] } }),
  dropWorkList: aList,
  listBackfills: async (of) => {
    await aBackfill(of);
    return {};
  },
  previewBackfill: (of) => ({ body: range(of) }),
  startBackfill: (of) => ({ body: { ...range(of), reason: 'the disk was full' } }),
  stopBackfill: async (of) => ({ params: { id: await aBackfill(of) }, body: {} }),
  resumeBackfill: async (of) => {
    const id = await aBackfill(of);
    await of.ask({ method: 'POST', path: `/v1/backfills/${id}/stop`, body: {} });
    return { params: { id }, body: {} };
  },
  listHeldTasks: () => ({}),
  listHeldRuns: () => ({ query: { limit: '2' } }),
  listAudit: ({ name }) => ({ query: { subject: `task:${name}`, limit: '1' } }),
  listTokens: () => ({}),
  createToken: ({ name }) => ({ body: { name: `for-${name}`, role: 'viewer', scope: 'team=shop' } }),
  revokeToken: async ({ db, name }) => ({
    params: { id: (await createToken(db, { name: `of-${name}`, role: 'viewer' }, ROOT)).id },
  }),
  listUsers: () => ({}),
  createUser: ({ name }) => ({ body: { name: `user-of-${name}`, role: 'viewer', password: 'correct horse battery' } }),
  changePassword: async ({ db, name }) => {
    await createUser(db, { name, role: 'viewer', password: 'correct horse battery' }, ROOT);
    return { query: { name }, body: { password: 'another horse battery' } };
  },
  grantUser: async ({ db, name }) => {
    await createUser(db, { name, role: 'viewer', password: 'correct horse battery' }, ROOT);
    return { query: { name }, body: { role: 'operator', scope: 'team=shop' } };
  },
  disableUser: async ({ db, name }) => {
    await createUser(db, { name, role: 'viewer', password: 'correct horse battery' }, ROOT);
    return { query: { name }, body: { reason: 'on leave' } };
  },
  enableUser: async ({ db, name }) => {
    await createUser(db, { name, role: 'viewer', password: 'correct horse battery' }, ROOT);
    await disableUser(db, name, ROOT);
    return { query: { name } };
  },
  deleteUser: async ({ db, name }) => {
    await createUser(db, { name, role: 'viewer', password: 'correct horse battery' }, ROOT);
    return { query: { name } };
  },
};
