import { randomUUID } from 'node:crypto';
import { systemClock, type Verdict } from '@escapement/core';
import { finishedRun } from '@escapement/testkit';
import { aBatch } from './a-batch.ts';
import type { Example, Fixture } from './example.ts';
import { ALERT_EXAMPLES } from './examples/alerts.ts';
import { FLEET_EXAMPLES } from './examples/fleet.ts';
import { SESSION_EXAMPLES } from './examples/session.ts';

/** Nobody knows what became of it. */
const CUT_OFF: Verdict = { to: 'unknown', reason: 'its worker vanished', lost: true, uncounted: true };

const handler = { type: 'http', url: 'https://shop.example/' };
const CRON_REPORT = {
  ...{ id: '00000000-0000-4000-8000-0000000000c0', line: '0123456789ab', host: 'web1', bootedAt: null },
  ...{ startedAt: '2026-03-02T10:00:01Z', endedAt: '2026-03-02T10:00:02Z', exitCode: 0, signal: null },
};
const ofTask = ({ taskId }: Fixture): Example => ({ params: { id: taskId } });
/** A line that cron has just started. */
const lineOfCron = async ({ ask, name }: Fixture): Promise<string> => {
  const text = `* * * * * /bin/backup ${name}`;
  const body = { text, name: `${name}-line`, timeZone: 'UTC', shadow: true };
  await ask({ method: 'POST', path: '/v1/import/crontab', body });
  const found = await ask({ path: '/v1/shadow', query: { source: `${name}-line` } });
  const line: string = found.body.items[0].id;
  const startedAt = systemClock.now().toISOString();
  const report = { ...CRON_REPORT, id: randomUUID(), line, startedAt, endedAt: startedAt };
  await ask({ method: 'POST', path: '/v1/shadow/reports', body: { reports: [report] } });
  return line;
};
const KEEPS_STATE = { state: {}, handler: { type: 'shell', command: 'true' } };
const ofError =
  (body: unknown) =>
  async (of: Fixture): Promise<Example> => {
    const { body: found } = await of.ask({ path: '/v1/errors', query: { task: `${of.name}-ended` } });
    return { params: { fingerprint: found.items[0].fingerprint }, body };
  };
const withBody = (body: unknown) => (of: Fixture) => ({ ...ofTask(of), body });

/** One at a time goes on. */
async function endVerifications({ pool, namespace }: Fixture['db']): Promise<void> {
  await pool.query(`DELETE FROM request WHERE namespace = $1 AND request->>'kind' = 'verify_ledger'`, [namespace]);
}

async function aVerification({ ask, db, name }: Fixture): Promise<string> {
  await endVerifications(db);
  const body = { task: name, from: '1h' };
  return (await ask({ method: 'POST', path: '/v1/ledger-verifications', body })).body.id;
}

async function theBatch({ db, name }: Fixture): Promise<Example> {
  const { id } = await aBatch(db, { parent: `${name}-fans`, child: `${name}-child`, made: ['succeeded'] });
  return { params: { id } };
}

async function aBulkAction({ ask, name }: Fixture): Promise<Example> {
  const body = { action: { action: 'redrive', task: name } };
  const { id } = (await ask({ method: 'POST', path: '/v1/bulk', body })).body;
  return { params: { id }, body: { reason: 'not needed' } };
}

/** A request that each route can carry out. */
export const EXAMPLES: Record<string, (of: Fixture) => Example | Promise<Example>> = {
  ...FLEET_EXAMPLES,
  ...ALERT_EXAMPLES,
  ...SESSION_EXAMPLES,
  getMe: () => ({}),
  listTasks: () => ({ query: { state: 'active,paused', sort: 'next', limit: '3' } }),
  findTask: ({ name }) => ({ query: { name } }),
  getTask: ofTask,
  listTaskVersions: ofTask,
  diffTaskVersions: (of) => ({ ...ofTask(of), query: { from: '1', to: '1' } }),
  listVersionsByName: ({ name }) => ({ query: { name } }),
  listTaskStats: ({ name }) => ({ query: { name, since: '24h' } }),
  getTaskStats: ofTask,
  listTaskOutcomes: ofTask,
  listTaskState: ofTask,
  getTaskChain: ofTask,
  createTask: ({ name }) => ({ body: { name: `${name}-new`, handler }, query: { reason: 'asked for' } }),
  replaceTask: (of) => ({
    ...ofTask(of),
    body: { name: of.name, handler, timeoutMs: 1000 },
    headers: { 'if-match': '"1"' },
  }),
  patchTask: withBody({ timeoutMs: 2000 }),
  revertTask: async (of) => {
    await of.ask({ method: 'PATCH', path: `/v1/tasks/${of.taskId}`, body: { timeoutMs: 5000 } });
    return withBody({ version: 1 })(of);
  },
  previewNewTask: ({ name }) => ({ body: { name, handler, schedule: { kind: 'every', everyMs: 60_000 } } }),
  previewTaskChange: withBody({ schedule: { kind: 'cron', expression: '30 2 * * *', timeZone: 'Europe/Berlin' } }),
  pauseTask: withBody({ reason: 'moving' }),
  resumeTask: async (of) => {
    await of.ask({ method: 'POST', path: `/v1/tasks/${of.taskId}/pause`, body: {} });
    return withBody({})(of);
  },
  skipTask: withBody({ count: 2 }),
  triggerTask: withBody({ payload: { order: 7 } }),
  triggerRun: ({ name }) => ({ body: { task: name, payload: { order: 7 }, single: true } }),
  renameTask: (of) => ({ ...ofTask(of), body: { name: `${of.name}-renamed` } }),
  deleteTask: ofTask,
  dropPendingTaskChange: async (of) => {
    const effectiveAt = new Date(Date.parse('2126-01-01T00:00:00Z')).toISOString();
    await of.ask({
      method: 'PATCH',
      path: `/v1/tasks/${of.taskId}`,
      query: { effectiveAt },
      body: { timeoutMs: 5000 },
    });
    return ofTask(of);
  },
  setTaskState: async (of) => {
    await of.ask({ method: 'PATCH', path: `/v1/tasks/${of.taskId}`, body: KEEPS_STATE });
    return withBody({ value: { cursor: 3 }, reason: 'it was lost' })(of);
  },
  dropTaskState: async (of) => {
    await of.ask({ method: 'PATCH', path: `/v1/tasks/${of.taskId}`, body: KEEPS_STATE });
    const body = { value: { cursor: 3 }, reason: 'it was lost' };
    await of.ask({ method: 'PUT', path: `/v1/tasks/${of.taskId}/state`, body });
    return { ...ofTask(of), query: { reason: 'anew' } };
  },
  previewApply: ({ name }) => ({ body: { set: name, tasks: [{ name: `${name}-applied`, handler }], prune: true } }),
  applyTasks: async (of) => {
    const body = { set: of.name, tasks: [{ name: `${of.name}-applied`, handler }] };
    const { plan } = (await of.ask({ method: 'POST', path: '/v1/apply/plan', body })).body;
    return { body: { ...body, plan, reason: 'release 7' } };
  },
  previewCrontab: ({ name }) => ({ body: { text: '0 3 * * * /bin/backup', name, timeZone: 'UTC' } }),
  importCrontab: ({ name }) => ({ body: { text: '0 3 * * * /bin/backup', name, timeZone: 'UTC', prune: true } }),
  sendCronReports: () => ({ body: { reports: [CRON_REPORT] } }),
  getShadow: async ({ ask, name }) => {
    const body = { text: `0 3 * * * /bin/backup ${name}`, name: `${name}-shadow`, timeZone: 'UTC', shadow: true };
    await ask({ method: 'POST', path: '/v1/import/crontab', body });
    return { query: { source: `${name}-shadow` } };
  },
  cutOverLines: async (of) => ({ body: { to: 'fleet', lines: [await lineOfCron(of)], reason: 'release 7' } }),
  settleCutover: async (of) => {
    const line = await lineOfCron(of);
    await of.ask({ method: 'POST', path: '/v1/shadow/cutovers', body: { to: 'fleet', lines: [line] } });
    return { params: { line }, body: { answer: 'refused' } };
  },
  exportCrontab: ({ name }) => ({ query: { source: name, system: 'true' } }),
  exportSystemd: ({ name }) => ({ query: { source: name, user: 'jobs' } }),
  exportK8s: ({ name }) => ({ query: { source: name, image: 'busybox' } }),
  listRuns: ({ name }) => ({ query: { query: `task:${name} since:-1h` } }),
  listLongestRuns: () => ({ query: { limit: '5' } }),
  countRuns: () => ({ query: { query: 'since:-1h' } }),
  listRunChanges: async (of) => {
    const { body } = await of.ask({ path: '/v1/runs/changes' });
    return { query: { query: `task:${of.name}`, after: body.next } };
  },
  getRun: ({ openRun }) => ({ params: { id: openRun } }),
  getLastRun: ({ name }) => ({ query: { task: `${name}-ended` } }),
  getRunTree: ({ openRun }) => ({ params: { id: openRun } }),
  listLogChunks: ({ endedRun }) => ({ params: { id: endedRun }, query: { limit: '10' } }),
  getRunLog: ({ endedRun }) => ({ params: { id: endedRun } }),
  watchRunLog: ({ endedRun }) => ({ params: { id: endedRun } }),
  waitForRun: ({ endedRun }) => ({ params: { id: endedRun } }),
  cancelRun: ({ openRun }) => ({ params: { id: openRun }, body: { reason: 'not needed' } }),
  rerunRun: ({ endedRun }) => ({ params: { id: endedRun }, body: { sameVersion: true } }),
  resolveRun: async ({ db, name }) => ({
    params: { id: await finishedRun(db, `${name}-cut-off`, CUT_OFF) },
    body: { as: 'failed', reason: 'I saw it' },
  }),
  listBatches: async (of) => {
    await theBatch(of);
    return { query: { state: 'running,done', task: `${of.name}-child` } };
  },
  getBatch: theBatch,
  listBatchChildren: theBatch,
  previewBulkAction: ({ name }) => ({ body: { action: 'cancel', task: name } }),
  startBulkAction: ({ name }) => ({ body: { action: { action: 'cancel', task: name }, reason: 'a mistake' } }),
  getBulkRequest: async (of) => ({ params: (await aBulkAction(of)).params ?? {} }),
  listBulkRequests: () => ({}),
  listBulkResults: async (of) => ({ params: (await aBulkAction(of)).params ?? {} }),
  pauseBulkRequest: aBulkAction,
  resumeBulkRequest: aBulkAction,
  cancelBulkRequest: aBulkAction,
  examineFleet: () => ({}),
  examineQueue: () => ({}),
  verifyLedger: async ({ name, db }) => {
    await endVerifications(db);
    return { body: { task: name, from: '1h', reason: 'an outage' } };
  },
  getLedgerVerification: async (of) => ({ params: { id: await aVerification(of) } }),
  listLedgerVerifications: async (of) => {
    await aVerification(of);
    return {};
  },
  listErrors: ({ name }) => ({ query: { since: '1h', task: `${name}-ended` } }),
  resolveError: ofError({ reason: 'mended' }),
  muteError: ofError({ untilAt: '2126-01-01T00:00:00Z' }),
  reopenError: ofError({}),
  countRedriveOfError: ofError({}),
  redriveError: ofError({ reason: 'mended' }),
  watchEvents: () => ({ streams: true }),
};
