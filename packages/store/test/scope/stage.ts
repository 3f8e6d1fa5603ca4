import { newRunId, type TaskDefinition, type Verdict } from '@escapement/core';
import { alertingSpec } from '@escapement/core/alerts';
import { monitorSpec, newMonitorStatus } from '@escapement/core/monitors';
import { by } from '@escapement/testkit';
import {
  addToBatch,
  addToList,
  appendLogs,
  type Database,
  editTaskState,
  findTask,
  finishRuns,
  insertBackfill,
  insertMonitor,
  insertToken,
  insertUser,
  listAlerts,
  type Monitor,
  makeChildren,
  monitorOfPing,
  type NewPing,
  noteLook,
  noteMarker,
  noteStaleHours,
  openAlerts,
  openBatch,
  pausePool,
  pauseTask,
  putRequest,
  putTaskChange,
  queueTestDelivery,
  recordDrift,
  recordPing,
  registerDeployment,
  saveAlertingVersion,
  saveCalendarVersion,
  sealBatch,
  silenceAlerts,
  takeClusterLock,
  takeItem,
  takeRequests,
  writeHeartbeat,
} from '../../src/index.ts';
import { ago, begun, finishRequest, MINUTE, makeTask, queueRuns, SUCCEEDED } from '../ledger.ts';

/** In all that a stage keeps: who reads it has read of another namespace. */
export const CANARY = 'canary-of-the-first-namespace';
export const WHO = by('ann@first', CANARY);

const NAMES = ['queued', 'running', 'failed', 'unknown', 'held', 'waiting', 'ended', 'stopping'] as const;
const FAILED: Verdict = { ...SUCCEEDED, to: 'failed', reason: CANARY, error: { name: 'Error', message: CANARY } };

export type Stage = Awaited<ReturnType<typeof makeStage>>;

/** A namespace with one of everything, through the connections of another. */
export async function makeStage(shared: Database, namespace: string) {
  const db: Database = { ...shared, namespace };
  const runs = await someRuns(db);
  return { db, ...runs, ...(await whatIsKept(db, runs)) };
}

/** Runs in every state that are of the same namespace, of other tasks with other keys, with a batch, a list, a state, and what the outbox has. */
export async function makeNeighbours({ db }: { db: Database }): Promise<string[]> {
  const { task, ...runs } = await someRuns(db, 'beside-');
  const { running, failed } = runs;
  await db.pool.query(
    `INSERT INTO followers_outbox (namespace, run_id, scheduled_for, task_id, event, created_at, not_before)
     VALUES ($1, $2, $3, $4, 'finished', now() - interval '1 h', now() - interval '1 h')`,
    [db.namespace, failed.runId, failed.scheduledFor, task.failed],
  );
  await appendLogs(db, [{ runId: failed.runId, attempt: 1, seq: 1, text: 'beside' }]);
  await addToList(db, 'beside-todo', ['beside', 'second'], WHO);
  await takeItem(db, running, { list: 'beside-todo', done: null });
  await editTaskState(db, { taskId: task.running, key: 'beside-running', value: 'beside', shape: 1, by: WHO });
  const batch = await aBatch(db, task, running);
  return ['beside', ...Object.values(task), ...Object.values(runs).map(({ runId }) => runId), batch.id];
}

/** `beside`: what their names and keys begin with. */
async function someRuns(db: Database, beside = '') {
  const tasks: string[] = [];
  for (const name of NAMES)
    tasks.push(
      await makeTask(db, {
        name: beside + name,
        payload: { canary: CANARY },
        ...(name === 'waiting' ? { rate: { limit: 1, perMs: MINUTE } } : {}),
      }),
    );
  const task = Object.fromEntries(NAMES.map((name, index) => [name, tasks[index] ?? ''])) as Record<Name, string>;
  const rows = await queueRuns(
    db,
    NAMES.map((name) => ({ taskId: task[name], key: beside + name, ageMs: 2 * MINUTE })),
  );
  const [queued, toRun, toFail, toForget, held, waiting, toEnd, toStop] = rows;
  if (!queued || !toRun || !toFail || !toForget || !held || !waiting || !toEnd || !toStop)
    throw new Error('no fixture');
  const [running, failed, unknown, ended, stopping] = await begun(db, [toRun, toFail, toForget, toEnd, toStop]);
  if (!running || !failed || !unknown || !ended || !stopping) throw new Error('not begun');
  await finishRuns(db, [
    finishRequest(failed, FAILED),
    finishRequest(unknown, { ...FAILED, to: 'unknown' }),
    finishRequest(ended, { ...SUCCEEDED, reason: CANARY, output: CANARY }),
  ]);
  await db.pool.query(`UPDATE run SET state = 'held' WHERE id = $1`, [held.runId]);
  await db.pool.query(`UPDATE run SET state = 'waiting', waiting_since = now(), rate_key = $2 WHERE id = $1`, [
    ...[waiting.runId, waiting.key],
  ]);
  await db.pool.query(`UPDATE run SET cancel_requested_at = now(), cancel_reason = $2 WHERE id = $1`, [
    stopping.runId,
    CANARY,
  ]);
  await db.pool.query(
    `INSERT INTO rate_wait (namespace, rate_key, scheduled_for, run_id, key) VALUES ($1, $2, $3, $4, $2)`,
    [...[db.namespace, waiting.key, waiting.scheduledFor, waiting.runId]],
  );
  return { task, queued, running, failed, unknown, held, waiting, ended, stopping };
}

type Name = (typeof NAMES)[number];

async function whatIsKept(db: Database, { task, running, failed }: Awaited<ReturnType<typeof someRuns>>) {
  await appendLogs(db, [{ runId: failed.runId, attempt: 1, seq: 1, text: CANARY }]);
  await db.pool.query(
    `INSERT INTO attempt (run_id, scheduled_for, attempt, outcome, reason) VALUES ($1, $2, 1, 'failed', $3)`,
    [failed.runId, failed.scheduledFor, CANARY],
  );
  const { rows } = await db.pool.query<{ id: string }>(
    `INSERT INTO followers_outbox (namespace, run_id, scheduled_for, task_id, event, created_at, not_before)
     VALUES ($1, $2, $3, $4, 'finished', now() - interval '1 h', now() - interval '1 h') RETURNING id::text`,
    [db.namespace, failed.runId, failed.scheduledFor, task.failed],
  );
  await addToList(db, 'todo', [CANARY, 'second'], WHO);
  const item = await takeItem(db, running, { list: 'todo', done: null });
  await editTaskState(db, { taskId: task.running, key: 'running', value: CANARY, shape: 1, by: WHO });
  await pauseTask(db, { name: 'held', untilAt: null, by: WHO });
  await pausePool(db, 'big', null, WHO);
  const granted = { role: 'admin', rights: [], scope: CANARY, by: WHO } as const;
  await insertToken(db, {
    ...granted,
    rights: [],
    id: 'token',
    name: 'token',
    hash: Buffer.alloc(32, 1),
    expiresAt: null,
  });
  await insertUser(db, { ...granted, rights: [], name: 'ann', hash: CANARY });
  await aMonitor(db);
  await noteMarker(db, { found: null, server: 's', marker: CANARY });
  await takeClusterLock(db, 'reconciler', 0);
  await recordDrift(db, { missing_job: 1 });
  await noteStaleHours(db, [{ taskId: task.failed, hour: new Date(0) }]);
  return {
    ...(await whatIsAsked(db, task)),
    batch: await aBatch(db, task, running),
    outboxId: rows[0]?.id ?? '',
    place: item?.place ?? -1,
    worker: await aWorker(db),
    definition: (await findTask(db, 'queued'))?.definition as TaskDefinition,
  };
}

export const PING_HASH = Buffer.alloc(32, 9);

/** One that is in trouble, with a ping. */
async function aMonitor(db: Database): Promise<void> {
  const spec = monitorSpec.parse({ schedule: { kind: 'fixed-delay', delayMs: MINUTE }, labels: { canary: CANARY } });
  const fresh = { status: newMonitorStatus(spec, ago(MINUTE)), troubleAt: ago(MINUTE) };
  await insertMonitor(db, { ...fresh, name: 'backup', spec, pingHash: PING_HASH, by: WHO });
  const monitor = await monitorOfPing(db, PING_HASH);
  if (!monitor) throw new Error('no monitor');
  await recordPing(db, monitor, aPing(monitor));
}

/** A ping that changes nothing but the number of pings. */
export function aPing({ status }: Monitor): NewPing {
  const at = ago(0);
  return {
    ...{ kind: 'log', exitStatus: null, rid: null, at, durationMs: null, method: 'POST', address: null },
    ...{ body: CANARY, bodyBytes: CANARY.length, status, troubleAt: ago(MINUTE), window: { since: at, pings: 1 } },
  };
}

async function whatIsAsked(db: Database, task: Record<Name, string>) {
  const at = ago(-MINUTE);
  const definition = { type: 'dates', dates: ['2027-01-01'], description: CANARY } as never;
  await saveCalendarVersion(db, {
    ...{ name: 'holidays', definition, by: WHO, effectiveAt: ago(0) },
    expectedVersion: null,
    tasks: [],
  });
  const known = (await findTask(db, 'queued'))?.definition as TaskDefinition;
  await putTaskChange(db, {
    definition: known,
    redacted: CANARY,
    effectiveAt: at,
    source: CANARY,
    basedOn: 1,
    by: WHO,
  });
  const range = { fromAt: ago(MINUTE), toAt: ago(0), reprocess: 'none', concurrency: 1, reverse: false } as const;
  const backfillId = await insertBackfill(db, { ...range, taskId: task.queued, taskName: 'queued', by: WHO });
  const requestId = await putRequest(db, { request: { canary: CANARY }, by: WHO, patienceMs: MINUTE, inChunks: true });
  await takeRequests(db, { taker: 'taker', goneMs: MINUTE, chunkGoneMs: MINUTE, limit: 1 });
  return { backfillId, requestId, ...(await anAlert(db, task.failed)) };
}

async function anAlert(
  db: Database,
  taskId: string,
): Promise<{ alertId: bigint; deliveryId: bigint; silenceId: bigint }> {
  await saveAlertingVersion(db, { definition: alertingSpec.parse({ rules: [] }), expectedVersion: null, by: WHO });
  await noteLook(db, null);
  const finding = {
    rule: 'failed',
    kind: 'failed',
    severity: 'critical',
    subject: `task:${taskId}`,
    taskId,
    labels: { canary: CANARY },
  } as const;
  await openAlerts(db, [{ ...finding, summary: CANARY, why: [CANARY], runs: [], since: ago(MINUTE), forMs: 0 }]);
  const [alert] = await listAlerts(db, { limit: 1 });
  const silenceId = await silenceAlerts(db, { match: `canary=${CANARY}`, untilAt: ago(-60 * MINUTE), by: WHO });
  const deliveryId = await queueTestDelivery(db, 'ops');
  return { alertId: alert?.id ?? -1n, deliveryId, silenceId };
}

async function aBatch(db: Database, task: Record<Name, string>, running: Awaited<ReturnType<typeof begun>>[number]) {
  const createdAt = ago(0);
  const id = newRunId(createdAt).replace(/.{8}$/, '00000000');
  const batch = {
    name: 'b',
    taskId: task.queued,
    key: null,
    concurrency: 9,
    traceparent: null,
    order: 'none',
    onError: 'continue',
  } as const;
  await openBatch(db, running, { ...batch, id, createdAt });
  await addToBatch(db, running, { batchId: id, first: 0, items: [CANARY, 'second', 'third'] });
  await sealBatch(db, running, id);
  const [done] = await makeChildren(db, { batchId: id, made: 0, count: 2, keys: null });
  await db.pool.query(
    `UPDATE run SET state = 'succeeded', finished_at = now(), output = to_jsonb($2::text) WHERE id = $1`,
    [...[done?.id, CANARY]],
  );
  return { id, childId: done?.id ?? '' };
}

async function aWorker(db: Database): Promise<{ id: string; deploymentId: string }> {
  const deployment = { app: 'app', release: CANARY, fingerprint: 'f', whole: true, tasks: { theirs: 'print' } };
  const deploymentId = await registerDeployment(db, deployment);
  const id = `worker-of-${db.namespace}`;
  const info = {
    id,
    role: 'worker',
    host: CANARY,
    pid: 1,
    appVersion: '0',
    pools: ['default'],
    deploymentId,
    secretRules: CANARY,
  } as const;
  await writeHeartbeat(db, info, { activeRuns: [], clockOffsetMs: 0 });
  return { id, deploymentId };
}
