import { randomUUID } from 'node:crypto';
import { newRunId, RUN_STATES, scheduledForOf } from '@escapement/core';
import { monitorSpec, newMonitorStatus } from '@escapement/core/monitors';
import { parseSelector } from '@escapement/core/rights';
import * as store from '../../src/index.ts';
import { ago, asSeen, beginRequest, finishRequest, MINUTE, SUCCEEDED } from '../ledger.ts';
import { aPing, CANARY, PING_HASH, type Stage, WHO } from './stage.ts';

/** Calls a function through `db` with the ids and names of the stage. `before` makes ready what it needs there. */
export interface Try {
  action: (db: store.Database, stage: Stage) => Promise<unknown>;
  before?: (stage: Stage) => Promise<unknown>;
}

const of = (action: Try['action'], before?: Try['before']): Try => ({ action, ...(before ? { before } : {}) });
const sql = (text: string, values: (stage: Stage) => unknown[]) => (stage: Stage) =>
  stage.db.pool.query(text, values(stage));
const ref = ({ runId, scheduledFor }: { runId: string; scheduledFor: Date }) => ({ id: runId, scheduledFor });
const row = ({ runId, scheduledFor }: { runId: string; scheduledFor: Date }) => ({
  id: runId,
  scheduled_for: scheduledFor,
});
const unplan = sql(`UPDATE run SET state = 'planned', dispatch = 0 WHERE id = $1`, ({ queued }) => [queued.runId]);
const ownCode = sql(
  `UPDATE task SET source = 'code', deployment_id = $2::bigint, definition = definition || '{"handler": {"type": "code", "name": "theirs"}}'
   WHERE id = $1`,
  ({ task, worker }) => [task.ended, worker.deploymentId],
);
const EARLIER = randomUUID();
/** Another version of the task had succeeded before. */
const succeededBefore = async ({ db, task }: Stage) => {
  const { rows } = await db.pool.query<{ id: string }>(
    `INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, key, key_limit, overlap, pool, due_at,
       attempt, worker, fence, started_at, finished_at)
     SELECT $2, r.scheduled_for, r.namespace, r.task_id, r.task_version + 1, r.plan_epoch, 'trigger', 'succeeded', r.key, r.key_limit,
       r.overlap, r.pool, r.due_at, 1, 'w', 1, r.started_at, r.finished_at - interval '1 s'
     FROM run r WHERE r.task_id = $1 AND r.state = 'failed' LIMIT 1 RETURNING id`,
    [task.failed, EARLIER],
  );
  return rows;
};
/** An occurrence was skipped. */
const skippedBefore = async ({ db, task }: Stage) =>
  await db.pool.query(
    `INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, reason, key, key_limit, overlap, pool,
       due_at, finished_at)
     SELECT gen_random_uuid(), r.scheduled_for - interval '1 ms', r.namespace, r.task_id, r.task_version, r.plan_epoch, 'schedule', 'skipped',
       'in the shadow of cron', r.key, r.key_limit, r.overlap, r.pool, r.due_at, now()
     FROM run r WHERE r.task_id = $1 LIMIT 1`,
    [task.failed],
  );
/** A zone that was written down. */
const knownZone = sql(
  `INSERT INTO zone_version (namespace, name, version, rules, tz_version) VALUES ($1, 'Own/Zone', 1, '{"offset": 0, "changes": []}', '2025a')`,
  ({ db }) => [db.namespace],
);
const triggerKey = sql(
  `INSERT INTO trigger_key (namespace, principal_kind, principal_id, key, run_id, scheduled_for, digest) VALUES ($1, $2, $3, 'own', gen_random_uuid(), now(), 'own')`,
  ({ db }) => [db.namespace, WHO.principal.kind, WHO.principal.id],
);
const ofCron = {
  ...{ id: randomUUID(), line: '0123456789ab', host: 'web1', startedAt: ago(MINUTE) },
  ...{ endedAt: ago(0), exitCode: 0, signal: null, bootedAt: null },
};
const reportedByCron = async ({ db }: Stage) => await store.keepCronReports(db, [{ ...ofCron, host: CANARY }]);
/** A cut-over that waits for its host. */
const cutover = async ({ db, task }: Stage) => {
  const { rows } = await db.pool.query<{ id: string }>(
    `INSERT INTO cron_cutover (namespace, line, task_id, host, to_side, at, asked_by) VALUES ($1, $2, $3, 'web1', 'fleet', now(), 'own') RETURNING id`,
    [db.namespace, ofCron.line, task.queued],
  );
  return rows[0]?.id ?? '';
};
const cutoverOf = async ({ db }: Stage) => (await store.cutoversOf(db, [ofCron.line]))[0];
const seenAt = async ({ db }: Stage) => {
  const task = await store.findTask(db, 'queued');
  if (!task) throw new Error('no fixture');
  return { ...{ id: task.id, name: task.name, planSeq: task.planSeq }, now: ago(0), nextRunAt: task.nextRunAt };
};
const SESSION = {
  hash: Buffer.alloc(32, 3),
  userId: '00000000-0000-4000-8000-000000000001',
  passwordAt: ago(60 * MINUTE),
  address: '10.0.0.7',
  now: ago(0),
  lifeMs: 60 * MINUTE,
  by: WHO,
};
/** A browser in which somebody has signed in. */
const withSession = async ({ db }: Stage) => {
  const { pool, namespace } = db;
  await pool.query(`UPDATE access_user SET id = $2, password_at = $3 WHERE namespace = $1 AND name = 'ann'`, [
    ...[namespace, SESSION.userId, SESSION.passwordAt],
  ]);
  await pool.query(
    `INSERT INTO access_session (namespace, hash, user_id, password_at, address, created_at, seen_at, ends_at)
     VALUES ($1, $2, $3, $4, $5, $6::timestamptz, $6::timestamptz - interval '2 minutes', $6::timestamptz + interval '1 h')`,
    [namespace, SESSION.hash, SESSION.userId, SESSION.passwordAt, SESSION.address, ago(0)],
  );
};
const CODE = { hash: Buffer.alloc(32, 5), name: 'ann', now: ago(0), lifeMs: 60 * MINUTE, by: WHO };
const withCode = async (stage: Stage) => {
  await withSession(stage);
  await stage.db.pool.query(
    `INSERT INTO sign_in_code (namespace, hash, user_id, password_at, ends_at) VALUES ($1, $2, $3, $4, $5::timestamptz + interval '1 h')`,
    [stage.db.namespace, CODE.hash, SESSION.userId, SESSION.passwordAt, ago(0)],
  );
};
const withDisabled = async (stage: Stage) => {
  await withSession(stage);
  const text = `UPDATE access_user SET disabled = 'by-admin' WHERE namespace = $1 AND id = $2`;
  await stage.db.pool.query(text, [stage.db.namespace, SESSION.userId]);
};
const IDENTITY = { issuer: 'https://id.example', subject: 'subject-1' };
const OIDC_USER = '00000000-0000-4000-8000-000000000002';
const withOidcUser = sql(
  `INSERT INTO access_user (namespace, id, name, oidc_issuer, oidc_subject, role, created_by) VALUES ($1, $2, 'eve', $3, $4, 'viewer', 'eve')`,
  ({ db }) => [db.namespace, OIDC_USER, IDENTITY.issuer, IDENTITY.subject],
);
const SIGN_IN = { kind: 'name', bucket: 7 } as const;
const signInCount = sql(
  `INSERT INTO sign_in_count (namespace, kind, bucket, tries, since) VALUES ($1, 'name', 7, 3, now())`,
  ({ db }) => [db.namespace],
);
const FINGERPRINT = '0123456789abcdef';
const errorStatus = sql(
  `INSERT INTO error_stand (namespace, fingerprint, changed_by) VALUES ($1, '${FINGERPRINT}', 'ann')`,
  ({ db }) => [db.namespace],
);
const grouped = sql(`UPDATE failure SET fingerprint = '${FINGERPRINT}' WHERE namespace = $1`, ({ db }) => [
  db.namespace,
]);
const deployed = sql('UPDATE failure SET deployment_id = $2::bigint WHERE namespace = $1', ({ db, worker }) => [
  db.namespace,
  worker.deploymentId,
]);
const changeWriter = sql(
  `INSERT INTO change_writer (namespace, holder, held_until, observed_at) VALUES ($1, 'own', now() + interval '1 minute', now())`,
  ({ db }) => [db.namespace],
);
const aChange = sql(
  `INSERT INTO change (namespace, at, changes) SELECT $1, now() - interval '1 minute', '{}' FROM generate_series(1, 2)`,
  ({ db }) => [db.namespace],
);
const view = ({ worker }: Stage) => ({ deploymentId: worker.deploymentId, afterShutdownMs: 0 });
const range = { from: ago(60 * MINUTE), to: ago(-MINUTE) };
const selection = {
  tasks: null,
  states: ['queued'],
  since: null,
  until: ago(-MINUTE).toISOString(),
  askedAt: ago(0).toISOString(),
} as const;
const waitOf = ({ queued }: Stage) => ({ ...queued, seen: { state: 'queued', dispatch: 1, attempt: 0 } });
const batchRow = async ({ db, batch }: Stage) =>
  (await db.pool.query<never>('SELECT * FROM batch WHERE id = $1', [batch.id])).rows[0] as never;

const NEW = { name: 'other', role: 'viewer' as const, rights: [], scope: null, by: WHO };

const monitorAtHome = async ({ db }: Stage): Promise<store.Monitor> => {
  const found = await store.findMonitor(db, 'backup');
  if (!found) throw new Error('no fixture');
  return found;
};
const someSpec = monitorSpec.parse({ schedule: { kind: 'fixed-delay', delayMs: MINUTE } });

export const RUNS: Record<string, Try> = {
  appendLogs: of((db, { failed }) => store.appendLogs(db, [{ runId: failed.runId, attempt: 1, seq: 2, text: 'x' }])),
  areStale: of((db, { queued }) => store.areStale(db, [queued])),
  beginRuns: of((db, { queued }) => store.beginRuns(db, [beginRequest(queued)])),
  cancelRequests: of((db, { stopping }) => store.cancelRequests(db, [stopping.runId])),
  catchUpRuns: of((db, { queued }) =>
    store.catchUpRuns(db, [
      {
        ...ref(queued),
        dispatch: 1,
        seen: 'queued',
        to: 'held',
        dueAt: ago(0),
        holdsUntil: null,
        reason: null,
        inTurn: false,
      },
    ]),
  ),
  causesAbove: of((db, { batch }) => store.causesAbove(db, batch.childId, 5)),
  chooseRuns: of((db) => store.chooseRuns(db, 'open', { ...selection, tasks: ['queued'] }, { after: null, limit: 9 })),
  chosenHeld: of((db, { held }) => store.chosenHeld(db, [held.runId])),
  chosenRerunnables: of((db, { failed }) => store.chosenRerunnables(db, [failed.runId])),
  chosenStates: of((db, { failed }) => store.chosenStates(db, [failed.runId])),
  countChosen: of((db) => store.countChosen(db, 'open', { ...selection, tasks: ['queued'] })),
  countHeld: of((db) => store.countHeld(db, { tasks: ['held'], choice: 'all' })),
  dropHeld: of((db, { held }) => store.dropHeld(db, [{ ...ref(held), dispatch: 1, priority: 0 }], WHO)),
  findRun: of((db, { failed }) => store.findRun(db, failed.runId)),
  finishAndWake: of((db, { running }) =>
    store.finishAndWake(db, [{ ...finishRequest(running), countsFromEnd: false }]),
  ),
  finishCancelledRuns: of((db, { queued }) =>
    store.finishCancelledRuns(db, [
      { ...row(queued), state: 'queued', dispatch: 1, attempt: 0, cancel_requested_by: null, cancel_reason: null },
    ]),
  ),
  finishLateStarts: of((db, { queued }) =>
    store.finishLateStarts(db, [
      {
        ...{ ...row(queued), state: 'queued', dispatch: 1, attempt: 0, deadline_ms: 1, late_ms: 1, key: 'queued' },
        ...{
          pool: 'default',
          pool_pause_note: null,
          holder: null,
          over_rate: null,
          served: true,
          need: null,
          worker_away: null,
        },
      },
    ]),
  ),
  finishRunsOfGoneWorkers: of((db, { queued }) =>
    store.finishRunsOfGoneWorkers(db, [
      { ...row(queued), state: 'queued', dispatch: 1, attempt: 0, of_worker: 'w1', away: null },
    ]),
  ),
  finishOverwaited: of((db, { waiting }) =>
    store.finishOverwaited(db, [
      { ...row(waiting), dispatch: 1, attempt: 0, key: 'waiting', waited_ms: 1, holder: null },
    ]),
  ),
  finishRuns: of((db, { running }) =>
    store.finishRuns(db, [
      finishRequest(running, { ...SUCCEEDED, effects: { state: { value: 1, version: 1, shape: 1 } } }),
    ]),
  ),
  haveFinished: of((db, { running }) => store.haveFinished(db, [running.runId])),
  listHeldRuns: of((db) => store.listHeldRuns(db, { task: 'held', limit: 9 })),
  actionsOfRequest: of(
    (db, { requestId }) => store.actionsOfRequest(db, { requestId, afterId: null, limit: 9 }),
    ({ db, requestId, failed }) =>
      store.recordAudit(db, { run: failed.runId }, { action: CANARY, detail: {}, by: { ...WHO, requestId } }),
  ),
  taskNameOfEach: of((db, { failed }) => store.taskNameOfEach(db, [failed.runId])),
  countNotRerun: of((db, { failed }) => store.countNotRerun(db, [failed.runId])),
  tasksOfRuns: of((db, { failed }) => store.tasksOfRuns(db, [failed.runId])),
  heldRuns: of((db) => store.heldRuns(db, { tasks: ['held'], choice: 'all', after: undefined, limit: 9 })),
  heldTasks: of((db) => store.heldTasks(db, { task: 'held' })),
  runIdsFrom: of((db, { failed }) => store.runIdsFrom(db, failed.runId.replaceAll('-', ''), 9)),
  endedRuns: of((db) => store.endedRuns(db, {}, { since: ago(60 * MINUTE), after: undefined, limit: 9 })),
  runsAmong: of((db, { failed }) => store.runsAmong(db, {}, [failed.runId])),
  countRuns: of((db) => store.countRuns(db, { taskName: 'failed', limit: 9 }, RUN_STATES)),
  listRuns: of((db) => store.listRuns(db, { taskName: 'failed', limit: 9 })),
  longestRunning: of((db) => store.longestRunning(db, { limit: 9 })),
  logTail: of((db, { failed }) => store.logTail(db, failed.runId, 100)),
  lookUpRepeats: of(
    (db, { queued, task }) =>
      store.lookUpRepeats(db, [{ taskId: task.queued, scheduledFor: queued.scheduledFor, queue: 'default+shell' }]),
    unplan,
  ),
  lookUpRuns: of((db, { queued }) => store.lookUpRuns(db, [queued])),
  markQueued: of((db, { queued }) => store.markQueued(db, [{ ...ref(queued), dispatch: 1 }]), unplan),
  outboxEntriesOf: of((db, { failed }) => store.outboxEntriesOf(db, [failed.runId])),
  passOnRun: of((db, { queued }) => store.passOnRun(db, { ...queued, rests: true })),
  previousOf: of((db, { running }) => store.previousOf(db, running)),
  rateTurn: of((db, { waiting }) => store.rateTurn(db, waiting.runId)),
  readAttempts: of((db, { failed }) => store.readAttempts(db, failed.runId)),
  whatRunHas: of((db, { failed }) => store.whatRunHas(db, failed.runId)),
  readFollowers: of((db, { failed }) => store.readFollowers(db, failed.runId)),
  readLogs: of((db, { failed }) => store.readLogs(db, failed.runId)),
  readRunTree: of((db, { failed }) => store.readRunTree(db, failed.runId)),
  redispatchRuns: of((db, { queued }) =>
    store.redispatchRuns(db, [{ ...ref(queued), queue: 'default+shell', dueAt: ago(0), dispatch: 1, takenAt: null }], {
      deadMs: 1,
    }),
  ),
  releaseHeld: of((db, { held }) =>
    store.releaseHeld(db, [{ ...ref(held), dispatch: 1, priority: 0, dueAt: ago(0) }], WHO),
  ),
  requestCancel: of((db, { queued }) => store.requestCancel(db, queued.runId, WHO)),
  rerunRuns: of((db, { failed }) =>
    store.rerunRuns(
      db,
      [
        {
          ...{
            ...failed,
            taskVersion: 1,
            ownKey: false,
            worker: null,
            task: { name: 'failed', version: 1, keyTemplate: 'failed', onEveryWorker: false },
          },
          ...{ rerunId: newRunId(failed.scheduledFor), version: 1 },
        },
      ],
      { sameVersion: true, once: false, action: 'rerun', by: WHO },
    ),
  ),
  resolveRun: of((db, { unknown }) => store.resolveRun(db, unknown.runId, { as: 'failed', by: WHO })),
  rerunRun: of((db, { failed }) => store.rerunRun(db, failed.runId, WHO)),
  runPriorities: of((db, { queued }) => store.runPriorities(db, [queued])),
  taskPriorities: of((db, { queued }) => store.taskPriorities(db).ofRuns([queued])),
  findDecidedRuns: of(
    (db) => store.findDecidedRuns(db, { lookAt: 9 }),
    sql(`UPDATE task SET deleted_at = now() WHERE name = 'queued'`, () => []),
  ),
  finishDecidedRuns: of(
    (db, { queued }) => store.finishDecidedRuns(db, [{ ...row(queued), state: 'queued', dispatch: 1, attempt: 0 }]),
    sql(`UPDATE task SET deleted_at = now() WHERE name = 'queued'`, () => []),
  ),
  findRunsBehind: of(
    (db) => store.findRunsBehind(db, { name: 'queued', limit: 9 }),
    sql(`UPDATE task SET pool = 'new' WHERE name = 'queued'`, () => []),
  ),
  followPool: of(
    (db, { queued }) => store.followPool(db, [row(queued)]),
    sql(`UPDATE task SET pool = 'new' WHERE name = 'queued'`, () => []),
  ),
  findRunsOfDeleted: of(
    (db) => store.findRunsOfDeleted(db, { limit: 9 }),
    sql(`UPDATE task SET ends_runs = true WHERE name = 'queued'`, () => []),
  ),
  finishRunsOfDeleted: of(
    async (db, stage) => store.finishRunsOfDeleted(db, await store.findRunsOfDeleted(stage.db, { limit: 9 }), 9),
    sql(`UPDATE task SET ends_runs = true, deleted_at = now() WHERE name = 'queued'`, () => []),
  ),
  unservedRun: of((db, { queued }) => store.unservedRun(db, queued, { deadMs: MINUTE })),
  waitRun: of((db, stage) => store.waitRun(db, waitOf(stage))),
  waitRuns: of((db, stage) => store.waitRuns(db, [waitOf(stage)])),
  whatHoldsBack: of(
    (db, { queued }) => store.whatHoldsBack(db, queued),
    sql('UPDATE run SET cancel_requested_at = now() WHERE id = $1', ({ queued }) => [queued.runId]),
  ),
  writeProgress: of((db, { running }) => store.writeProgress(db, [{ ...running, done: 1, total: 2, note: 'x' }])),
};

export const TASKS: Record<string, Try> = {
  claimCodeTask: of(
    (db, { worker }) =>
      store.claimCodeTask(db, { name: 'ended', version: 1, deploymentId: worker.deploymentId, by: WHO }),
    sql(`UPDATE task SET source = 'code' WHERE id = $1`, ({ task }) => [task.ended]),
  ),
  codeIsElsewhere: of((db) => store.codeIsElsewhere(db, { name: 'theirs', pool: 'default', worker: 'x' })),
  countedRuns: of((db, { task }) => store.countedRuns(db, { taskId: task.queued, version: 1, ...range, limit: 9 })),
  createDefinitions: of((db, { task }) => store.createDefinitions(db).get(task.queued, 1)),
  deleteTask: of(async (db, stage) => store.deleteTask(db, 'queued', WHO, await asSeen(stage.db, 'queued'))),
  disagreeingLimit: of((db) => store.disagreeingLimit(db, { names: ['x'], keyTemplate: 'queued', limit: 9 })),
  disagreeingRate: of((db) => store.disagreeingRate(db, { names: ['x'], rateKey: 'waiting', limit: 9, perMs: 9 })),
  dropTaskChange: of((db) => store.dropTaskChange(db, 'queued', WHO)),
  editTaskState: of((db, { task }) =>
    store.editTaskState(db, { taskId: task.running, key: 'running', value: 1, shape: 1, by: WHO }),
  ),
  failTaskChange: of(async (db, stage) => {
    const change = await store.findTaskChange(stage.db, 'queued');
    if (change) await store.failTaskChange(db, change, 'x');
  }),
  findTask: of((db) => store.findTask(db, 'queued')),
  findTaskById: of((db, { task }) => store.findTaskById(db, task.queued)),
  listTasksById: of((db, { task }) => store.listTasksById(db, [task.queued])),
  tasksAskingLate: of(
    (db) => store.tasksAskingLate(db),
    sql(
      `INSERT INTO task_pause (task_id, from_at, note, created_by, asked_late) SELECT id, now(), 'x', 'x', true FROM task WHERE name = 'queued'`,
      () => [],
    ),
  ),
  taskNameOf: of((db, { task }) => store.taskNameOf(db, task.queued)),
  taskPage: of((db) =>
    store.taskPage(db, { name: 'queued' }, { order: 'name', descending: false, after: null, limit: 9 }),
  ),
  occurrencesKnown: of(
    (db, { task }) => store.occurrencesKnown(db, { id: task.running }),
    ({ db }) => db.pool.query(`UPDATE task_plan SET next_run_at = next_run_at - interval '1 hour'`),
  ),
  findTaskChange: of((db) => store.findTaskChange(db, 'queued')),
  forgetTaskChange: of(async (db, stage) => {
    const change = await store.findTaskChange(stage.db, 'queued');
    return change && (await store.forgetTaskChange(db, change));
  }),
  ledgerRows: of((db, { task }) => store.ledgerRows(db, { taskIds: [task.queued], ...range })),
  listTaskStates: of((db, { task }) => store.listTaskStates(db, task.running, { limit: 9 })),
  notePlanError: of(async (db, stage) => {
    const task = await store.findTask(stage.db, 'queued');
    if (task) await store.notePlanError(db, task, 'x');
  }),
  occurrenceRows: of((db, { task, queued }) => store.occurrenceRows(db, task.queued, [queued.scheduledFor])),
  pauseLeftTasks: of((db, stage) => store.pauseLeftTasks(db, view(stage), WHO), ownCode),
  pauseTask: of((db) => store.pauseTask(db, { name: 'queued', untilAt: null, by: WHO })),
  pausedTasks: of(
    (db) => store.pausedTasks(db, ['queued']),
    ({ db }) => store.pauseTask(db, { name: 'queued', untilAt: null, by: WHO }),
  ),
  countPauses: of(
    (db) => store.countPauses(db, ['00000000-0000-7000-8000-000000000001']),
    ({ db }) =>
      store.pauseTask(db, {
        ...{ name: 'queued', untilAt: null, by: WHO },
        pauseId: '00000000-0000-7000-8000-000000000001',
      }),
  ),
  placeCodeTasks: of((db, { worker }) => store.placeCodeTasks(db, worker.deploymentId, { all: true }), ownCode),
  planRuns: of(async (db, stage) => {
    const task = await store.findTask(stage.db, 'queued');
    return task && (await store.planRuns(db, [{ taskId: task.id, planSeq: task.planSeq, nextRunAt: null }], []));
  }),
  putTaskChange: of((db, { definition }) =>
    store.putTaskChange(db, {
      definition,
      redacted: null,
      effectiveAt: ago(0),
      source: 'x',
      basedOn: 0,
      by: WHO,
    }),
  ),
  readTaskState: of((db, { task }) => store.readTaskState(db, task.running, 'running')),
  resumeTask: of((db) => store.resumeTask(db, 'held', WHO)),
  saveTask: of(async (db, stage) => {
    const task = await store.findTask(stage.db, 'queued');
    if (!task) throw new Error('no task');
    const { definition, planSeq } = task;
    const save = {
      definition,
      redacted: { before: null, after: null },
      schedule: definition.schedule,
      keyTemplate: 'x',
      source: 'x',
      by: WHO,
    };
    return await store.saveTask(db, { ...save, expectedPlanSeq: planSeq, effectiveAt: ago(0), nextRunAt: null });
  }),
  startFleet: of((db, { task }) =>
    store.startFleet(db, 'x', [{ id: newRunId(ago(0)), scheduledFor: ago(0), taskId: task.queued, key: 'x' }]),
  ),
  strayCodeTasks: of((db, stage) => store.strayCodeTasks(db, view(stage))),
  formerNames: of(
    (db) => store.formerNames(db),
    sql(`UPDATE task SET former_names = ARRAY['before'] WHERE id = $1`, ({ task }) => [task.queued]),
  ),
  targetTasks: of((db) => store.targetTasks(db, ['queued'])),
  editedVersions: of(
    (db, { task }) => store.editedVersions(db, task.queued, 10),
    sql('UPDATE task_version SET edited = true WHERE task_id = $1', ({ task }) => [task.queued]),
  ),
  taskHistory: of((db) => store.taskHistory(db, 'queued')),
  selectTasks: of(
    (db) => store.selectTasks(db, { labels: parseSelector('team=shop') }),
    sql(`UPDATE task SET definition = definition || '{"labels": {"team": "shop"}}' WHERE id = $1`, ({ task }) => [
      task.queued,
    ]),
  ),
  recentRuns: of((db, { task }) => store.recentRuns(db, [task.failed], 3)),
  noteStaleHours: of((db, { task }) => store.noteStaleHours(db, [{ taskId: task.queued, hour: new Date(0) }])),
  wrongRollUps: of(
    (db, { task }) =>
      store.wrongRollUps(db, { taskIds: [task.failed], from: ago(3 * 60 * MINUTE), to: ago(60 * MINUTE) }),
    async ({ db: { pool }, task }) => {
      await pool.query(`SELECT make_partition('task_hour', now() - interval '2 h')`);
      await pool.query(
        `WITH u AS (INSERT INTO roll_up (namespace, rolled_until) SELECT namespace, now() FROM task WHERE id = $1)
         INSERT INTO task_hour SELECT $1, date_bin('1 hour', now() - interval '2 h', 'epoch'), 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, '{}', '{}'`,
        [task.failed],
      );
    },
  ),
  taskLabels: of((db) => store.taskLabels(db, ['queued'])),
  taskOutcomes: of((db, { task }) =>
    store.taskOutcomes(db, { taskId: task.failed, since: ago(60 * MINUTE), by: 'hour', timeZone: 'UTC' }),
  ),
  hourlyOutcomes: of((db, { task }) =>
    store.hourlyOutcomes(db, { taskIds: [task.failed], from: ago(120 * MINUTE), to: ago(0) }),
  ),
  taskStats: of((db) => store.taskStats(db, { name: 'failed', since: ago(60 * MINUTE) })),
  taskVersions: of((db, { task }) => store.taskVersions(db, [{ taskId: task.queued, version: 1 }])),
  plannedWorkers: of(
    (db, { task }) => store.plannedWorkers(db, { taskIds: [task.queued], ...range }),
    ({ db, task }) =>
      db.pool.query(
        `INSERT INTO occurrence_workers VALUES ($1, now() - interval '10 min', '{w1}') ON CONFLICT DO NOTHING`,
        [task.queued],
      ),
  ),
  expectedWorkers: of(
    (db, { task }) => store.expectedWorkers(db, { id: task.queued }),
    ({ db }) =>
      db.pool.query(`UPDATE process SET name = id, pools = '{default}', offers = '{shell}' WHERE role = 'worker'`),
  ),
  tasksToVerify: of((db) => store.tasksToVerify(db, { ...range, after: null, limit: 9, name: 'queued' })),
  takeTurns: of((db, { queued, task }) => store.takeTurns(db, [{ taskId: task.queued, until: queued.scheduledFor }])),
  triggerRun: of((db, { task }) =>
    store.triggerRun(db, {
      ...{ id: newRunId(ago(0)), scheduledFor: ago(0), taskId: task.queued, origin: 'trigger', key: 'x' },
      ...{ payload: undefined, by: WHO },
    }),
  ),
  triggerRunIn: of((db, { task }) =>
    store.triggerRunIn(db, db.pool, {
      ...{ id: newRunId(ago(0)), scheduledFor: ago(0), taskId: task.queued, origin: 'trigger', key: 'x' },
      ...{ payload: undefined, by: WHO },
    }),
  ),
  unservedTask: of((db) => store.unservedTask(db, 'queued', { deadMs: MINUTE })),
};

export const OTHERS: Record<string, Try> = {
  addToBatch: of((db, { running, batch }) =>
    store.addToBatch(db, running, { batchId: batch.id, first: 3, items: ['x'] }),
  ),
  addToList: of((db) => store.addToList(db, 'todo', ['x'], WHO)),
  addToListFor: of((db, { running }) => store.addToListFor(db, running, { list: 'todo', first: 0, items: ['x'] })),
  changePassword: of((db) => store.changePassword(db, 'ann', 'x', WHO)),
  deleteUser: of((db) => store.deleteUser(db, 'ann', WHO)),
  findToken: of((db) => store.findToken(db, 'token')),
  grantsOf: of((db) => store.grantsOf(db, { kind: 'token', id: 'token' })),
  findUser: of((db) => store.findUser(db, 'ann')),
  findOidcUser: of((db) => store.findOidcUser(db, IDENTITY), withOidcUser),
  insertOidcUser: of((db) => store.insertOidcUser(db, { ...NEW, ...IDENTITY, id: OIDC_USER })),
  grantOidcUser: of(
    (db) => store.grantOidcUser(db, OIDC_USER, { role: 'operator', rights: [], scope: null }, WHO),
    withOidcUser,
  ),
  grantUser: of((db) => store.grantUser(db, 'ann', { role: 'operator', rights: [], scope: null }, WHO)),
  disableUser: of((db) => store.disableUser(db, SESSION.userId, { why: 'by-admin', by: WHO }), withSession),
  enableUser: of((db) => store.enableUser(db, SESSION.userId, WHO), withDisabled),
  insertSession: of((db) => store.insertSession(db, { ...SESSION, hash: Buffer.alloc(32, 4) }), withSession),
  findSession: of((db) => store.findSession(db, { ...SESSION, idleMs: 60 * MINUTE, now: ago(0) }), withSession),
  noteSessionUse: of((db) => store.noteSessionUse(db, SESSION.hash, ago(0)), withSession),
  endSession: of((db) => store.endSession(db, SESSION.hash, { now: ago(0), by: WHO }), withSession),
  insertSignInCode: of((db) => store.insertSignInCode(db, { ...CODE, hash: Buffer.alloc(32, 6) }), withCode),
  useSignInCode: of((db) => store.useSignInCode(db, { hash: CODE.hash, now: ago(0) }), withCode),
  signedInFrom: of((db) => store.signedInFrom(db, 'ann', SESSION.address), withSession),
  countSignIn: of((db) => store.countSignIn(db, SIGN_IN, { now: ago(0), windowMs: MINUTE, most: 9 }), signInCount),
  uncountSignIn: of((db) => store.uncountSignIn(db, SIGN_IN), signInCount),
  insertToken: of((db) => store.insertToken(db, { ...NEW, id: 'other', hash: Buffer.alloc(32, 2), expiresAt: null })),
  insertUser: of((db) => store.insertUser(db, { ...NEW, hash: 'x' })),
  noteTokenUse: of((db) => store.noteTokenUse(db, 'token')),
  revokeToken: of((db) => store.revokeToken(db, 'token', WHO)),
  answerRequest: of((db, { requestId }) => store.answerRequest(db, requestId, 'taker', { answer: 'x' })),
  auditEntries: of((db) => store.auditEntries(db, { key: 'running' })),
  batchChildren: of((db, { batch }) =>
    store.batchChildren(db, { id: batch.id, createdAt: scheduledForOf(batch.id) }, { from: 0, to: 9, limit: 9 }),
  ),
  listBatches: of((db, { running }) => store.listBatches(db, { runId: running.runId, limit: 9 })),
  readBatch: of((db, { batch }) => store.readBatch(db, batch.id)),
  batchItems: of((db, { batch }) => store.batchItems(db, batch.id, 0, 1)),
  batchResults: of((db, { batch }) => store.batchResults(db, batch.id, { from: 0, limit: 9 })),
  batchesOfRun: of((db, { running }) => store.batchesOfRun(db, running.runId)),
  cancelBatches: of((db, { running }) => store.cancelBatches(db, running.runId, WHO)),
  cancelChildren: of(async (db, stage) => await store.cancelChildren(db, await batchRow(stage), 9)),
  completeResync: of((db) => store.completeResync(db, 1)),
  countBatch: of((db, { batch }) => store.countBatch(db, batch.id)),
  deleteCalendar: of((db) => store.deleteCalendar(db, 'holidays', WHO)),
  dropWorkList: of((db) => store.dropWorkList(db, 'todo', WHO)),
  endProcess: of((db, { worker }) => store.endProcess(db, worker.id)),
  findBatch: of((db, { batch }) => store.findBatch(db, batch.id)),
  finishBatch: of(
    (db, { batch }) => store.finishBatch(db, batch.id, { join: null, reason: null }),
    sql(`UPDATE batch SET state = 'stopping', succeeded = made WHERE id = $1`, ({ batch }) => [batch.id]),
  ),
  freeDeadSlots: of(async (db, { db: own, running: { runId, fence } }) => {
    const { rows } = await own.pool.query<{ since: Date }>('SELECT since FROM key_slot WHERE run_id = $1', [runId]);
    return await store.freeDeadSlots(db, [
      { key: 'running', slot: 1, run_id: runId, fence, since: rows[0]?.since ?? null },
    ]);
  }),
  holdClusterLock: of((db) =>
    store.holdClusterLock(db, { name: 'reconciler', holder: 'x', everyMs: MINUTE, holdMs: MINUTE }),
  ),
  insertBackfill: of((db, { task }) =>
    store.insertBackfill(db, {
      ...{
        taskId: task.queued,
        taskName: 'queued',
        fromAt: ago(MINUTE),
        toAt: ago(0),
        reprocess: 'none',
        concurrency: 1,
      },
      ...{ reverse: false, by: WHO },
    }),
  ),
  haltRequest: of((db, { requestId }) => store.haltRequest(db, requestId, 'paused', WHO)),
  keepProgress: of((db, { requestId }) =>
    store.keepProgress(db, { id: requestId, taker: 'taker', progress: { x: 1 }, release: true }),
  ),
  keyRuns: of((db) => store.keyRuns(db, 'waiting', 9)),
  listBackfills: of((db, { backfillId }) => store.listBackfills(db, { limit: 9, idPrefix: backfillId })),
  listCalendars: of((db) => store.listCalendars(db, ['holidays'])),
  listKeySlots: of((db) => store.listKeySlots(db, { key: 'running', limit: 9 })),
  makeChildren: of((db, { batch }) => store.makeChildren(db, { batchId: batch.id, made: 2, count: 1, keys: null })),
  makeFollowers: of((db, { outboxId }) =>
    store.makeFollowers(db, [{ noteId: outboxId, error: 'x', retryInMs: null }], []),
  ),
  freezeFleet: of((db) => store.freezeFleet(db, null, WHO)),
  readFreeze: of(
    (db) => store.readFreeze(db),
    ({ db }) => store.freezeFleet(db, null, WHO),
  ),
  unfreezeFleet: of(
    (db) => store.unfreezeFleet(db, WHO),
    ({ db }) => store.freezeFleet(db, null, WHO),
  ),
  noteQueueBlocks: of((db) => store.noteQueueBlocks(db, [{ queue: CANARY, kind: 'paused', since: 'then' }])),
  noteLedgerMove: of(
    (db) => store.noteLedgerMove(db, { noted: CANARY, from: CANARY, to: 'elsewhere', how: 'cluster', by: WHO }),
    sql('UPDATE queue_watch SET place = $1', () => [CANARY]),
  ),
  noteMarker: of((db) => store.noteMarker(db, { found: CANARY, server: 's', marker: 'x' })),
  openBatch: of((db, { running, task }) =>
    store.openBatch(db, running, {
      ...{ id: newRunId(ago(0)), createdAt: ago(0), name: 'c', taskId: task.queued, key: null, concurrency: 1 },
      ...{ order: 'none', onError: 'continue', traceparent: null },
    }),
  ),
  drainWorker: of((db, { worker }) => store.drainWorker(db, worker.id, WHO)),
  resumeWorker: of(
    (db, { worker }) => store.resumeWorker(db, worker.id, WHO),
    ({ db, worker }) => store.drainWorker(db, worker.id, WHO),
  ),
  pausePool: of((db) => store.pausePool(db, 'default', null, WHO)),
  putRequest: of((db) => store.putRequest(db, { request: {}, by: WHO, patienceMs: MINUTE })),
  ratesOfKey: of((db) => store.ratesOfKey(db, 'waiting')),
  readAnswer: of(
    (db, { requestId }) => store.readAnswer(db, requestId),
    ({ db, requestId }) => store.answerRequest(db, requestId, 'taker', { answer: CANARY }),
  ),
  poolDemand: of((db) => store.poolDemand(db, 'default', { leadMs: MINUTE })),
  readPools: of((db) => store.readPools(db, { deadMs: MINUTE, name: 'big' })),
  readRequest: of((db, { requestId }) => store.readRequest(db, requestId)),
  recordAudit: of((db, { failed }) =>
    store.recordAudit(db, { run: failed.runId }, { action: 'x', detail: {}, by: WHO }),
  ),
  recordRefusal: of((db, { failed }) =>
    store.recordRefusal(db, { run: failed.runId }, { action: 'x', detail: {}, by: WHO }),
  ),
  recordDrift: of((db) => store.recordDrift(db, { missing_job: 7 })),
  recordDelivery: of((db, { deliveryId: id }) =>
    store.recordDelivery(db, { id, state: 'dropped', retryInMs: 0, error: null, text: 'x' }),
  ),
  splitDelivery: of(
    (db, { deliveryId: id }) => store.splitDelivery(db, id, []),
    sql(`UPDATE delivery SET alerts = '{1}', tries = 1 WHERE id = $1`, ({ deliveryId }) => [deliveryId]),
  ),
  findDelivery: of((db, { deliveryId }) => store.findDelivery(db, deliveryId)),
  keepTriggerKey: of(
    (db) =>
      store.keepTriggerKey(
        db,
        { principal: WHO.principal, key: 'own' },
        { runId: EARLIER, scheduledFor: ago(0), digest: 'x' },
      ),
    triggerKey,
  ),
  errorStatuses: of((db) => store.errorStatuses(db, [FINGERPRINT]), errorStatus),
  changeErrorStatus: of(
    (db) => store.changeErrorStatus(db, FINGERPRINT, { change: { kind: 'resolve' }, by: WHO }),
    errorStatus,
  ),
  ungroupedFailures: of((db) => store.ungroupedFailures(db, 9)),
  keepFingerprints: of((db, { failed }) =>
    store.keepFingerprints(db, [{ runId: failed.runId, fingerprint: FINGERPRINT }]),
  ),
  countFailures: of((db) => store.countFailures(db, { since: new Date(0) }, { limit: 9, ungrouped: [] }), grouped),
  runsOfFingerprint: of(
    (db) => store.runsOfFingerprint(db, FINGERPRINT, { since: new Date(0) }, { limit: 9, ungrouped: [] }),
    grouped,
  ),
  releasesOfFailures: of((db, { failed }) => store.releasesOfFailures(db, [failed.runId]), deployed),
  whyFailed: of((db, { failed }) => store.whyFailed(db, [failed.runId])),
  holdChanges: of((db) => store.holdChanges(db, { holder: 'other', holdMs: MINUTE, observedAt: null }), changeWriter),
  releaseChanges: of((db) => store.releaseChanges(db, 'own'), changeWriter),
  writeChanges: of((db) => store.writeChanges(db, { holder: 'own', changes: {} }), changeWriter),
  changesAfter: of((db) => store.changesAfter(db, 0, 9), aChange),
  latestChange: of(store.latestChange, aChange),
  isChangeKept: of(async (db, { db: own }) => store.isChangeKept(db, await store.latestChange(own)), aChange),
  dropChanges: of((db) => store.dropChanges(db, 0), aChange),
  keepCronReports: of((db) => store.keepCronReports(db, [ofCron])),
  cronStarts: of((db) => store.cronStarts(db, [ofCron.line], { since: ago(60 * MINUTE), limit: 9 }), reportedByCron),
  cutoversOf: of((db) => store.cutoversOf(db, [ofCron.line]), cutover),
  findCutover: of(async (db, stage) => store.findCutover(db, (await cutoverOf(stage))?.id ?? ''), cutover),
  unansweredCutovers: of(
    (db) => store.unansweredCutovers(db, { host: 'web1', lines: [{ line: ofCron.line, lastStartedAt: ago(0) }] }),
    cutover,
  ),
  proposeCutover: of(async (db, stage) =>
    store.proposeCutover(db, { line: ofCron.line, host: 'web1', to: 'fleet', at: ago(0) }, await seenAt(stage), WHO),
  ),
  decideCutover: of(async (db, stage) => {
    const found = await cutoverOf(stage);
    if (!found) throw new Error('no fixture');
    return await store.decideCutover(db, found, { task: null, word: { answer: 'taken', from: 'person' }, by: WHO });
  }, cutover),
  shadowRows: of(
    (db, { task }) => store.shadowRows(db, [task.failed], { since: ago(60 * MINUTE), limit: 9 }),
    skippedBefore,
  ),
  insertMonitor: of((db) =>
    store.insertMonitor(db, {
      ...{ name: 'backup', spec: someSpec, pingHash: Buffer.alloc(32, 8), by: WHO },
      ...{ status: newMonitorStatus(someSpec, ago(0)), troubleAt: null },
    }),
  ),
  findMonitor: of((db) => store.findMonitor(db, 'backup')),
  monitorOfPing: of((db) => store.monitorOfPing(db, PING_HASH)),
  monitorPings: of((db) => store.monitorPings(db, 'backup', { limit: 9 })),
  recordPing: of(async (db, stage) => {
    const monitor = await monitorAtHome(stage);
    return await store.recordPing(db, monitor, aPing(monitor));
  }),
  changeMonitor: of(async (db, stage) => {
    const monitor = await monitorAtHome(stage);
    const { spec, status } = monitor;
    const change = {
      action: 'pause',
      spec,
      status,
      troubleAt: null,
      pause: { untilAt: null },
      by: WHO,
    } as const;
    return await store.changeMonitor(db, monitor, change);
  }),
  deleteMonitor: of((db) => store.deleteMonitor(db, 'backup', WHO)),
  findAlert: of((db, { alertId }) => store.findAlert(db, alertId)),
  acknowledgeAlert: of((db, { alertId: id }) => store.acknowledgeAlert(db, { id, by: WHO })),
  resolveAlerts: of((db, { alertId: id }) => store.resolveAlerts(db, [id])),
  muteAlerts: of((db, { alertId: id }) => store.muteAlerts(db, [{ id, why: 'x' }])),
  noteNotifications: of((db, { alertId: id }) =>
    store.noteNotifications(db, [{ id, tell: 'firing', destinations: [] }]),
  ),
  unsilenceAlerts: of((db, { silenceId: id }) => store.unsilenceAlerts(db, { id, by: WHO })),
  firingAlerts: of((db, { task }) => store.firingAlerts(db, { kinds: ['failed'], taskIds: [task.failed] })),
  openAlerts: of(
    (db, { failed: { runId: id, scheduledFor } }) =>
      store.openAlerts(db, [], { facts: [99n], marks: [{ id, scheduledFor, rule: 'x', detail: 'y' }] }),
    sql(`INSERT INTO alert_fact (namespace, id, kind) OVERRIDING SYSTEM VALUE SELECT $1, 99, 'ledger'`, ({ db }) => [
      db.namespace,
    ]),
  ),
  recordedRuns: of((db, { task }) =>
    store.recordedRuns(db, { taskId: task.failed, from: ago(60 * MINUTE), to: ago(-MINUTE), limit: 10 }),
  ),
  usualDurations: of(
    (db, { task }) => store.usualDurations(db, [task.failed], 1),
    sql('INSERT INTO task_duration (task_id, runs, p50_ms, p95_ms) VALUES ($1, 1, 7, 7)', ({ task }) => [task.failed]),
  ),
  settleAlerts: of((db) => store.settleAlerts(db, ['failed'], [])),
  lastStarts: of((db, { task }) => store.lastStarts(db, [task.failed])),
  lastSuccesses: of((db, { task }) => store.lastSuccesses(db, [task.failed])),
  firstFailures: of(
    (db, { task, failed }) =>
      store.firstFailures(db, [
        { taskId: task.failed, failed: ref(failed), succeeded: { ...ref(failed), id: EARLIER } },
      ]),
    succeededBefore,
  ),
  latestEnds: of((db, { task }) => store.latestEnds(db, [{ id: task.failed, wanted: 3 }])),
  lookAtSuccesses: of((db, { failed: { runId: id, scheduledFor } }) =>
    store.lookAtSuccesses(db, [{ id, scheduledFor, output: null, logHas: '.', logLacks: null }]),
  ),
  marksOf: of(
    (db, { failed }) => store.marksOf(db, [failed.runId]),
    ({ db, failed: { runId: id, scheduledFor } }) =>
      store.openAlerts(db, [], { marks: [{ id, scheduledFor, rule: 'x', detail: CANARY }] }),
  ),
  queueTestDelivery: of((db) => store.queueTestDelivery(db, 'ops')),
  saveAlertingVersion: of((db) =>
    store.saveAlertingVersion(db, {
      definition: { rules: [], receivers: {}, routes: [] },
      expectedVersion: 1,
      by: WHO,
    }),
  ),
  silenceAlerts: of((db) => store.silenceAlerts(db, { match: 'rule=x', untilAt: ago(-MINUTE), by: WHO })),
  registerDeployment: of((db) =>
    store.registerDeployment(db, { app: 'app', release: null, fingerprint: 'f', whole: true, tasks: {} }),
  ),
  releaseClusterLock: of(
    (db) => store.releaseClusterLock(db, 'mine', 'h'),
    ({ db }) => store.holdClusterLock(db, { name: 'mine', holder: 'h', everyMs: 1, holdMs: MINUTE }),
  ),
  releaseKeySlot: of((db, { running: { runId, fence } }) =>
    store.releaseKeySlot(db, { seen: { key: 'running', slot: 1, fence, runId }, by: WHO }),
  ),
  resumeBackfill: of(
    (db, { backfillId }) => store.resumeBackfill(db, backfillId, WHO),
    sql(`UPDATE backfill SET state = 'stopped', ended_at = now() WHERE id = $1`, ({ backfillId }) => [backfillId]),
  ),
  resumePool: of((db) => store.resumePool(db, 'big', WHO)),
  saveCalendarVersion: of(async (db, stage) => {
    const [task, [calendar]] = [await store.findTask(stage.db, 'queued'), await store.listCalendars(stage.db)];
    if (!task || !calendar) throw new Error('no fixture');
    return await store.saveCalendarVersion(db, {
      ...{ name: 'another', definition: calendar.definition, by: WHO, expectedVersion: null, effectiveAt: ago(0) },
      tasks: [{ id: task.id, planSeq: task.planSeq, nextRunAt: null }],
    });
  }),
  savePool: of((db) => store.savePool(db, 'big', { expectedWorkers: 7 }, WHO)),
  secretRulesOfPool: of((db) => store.secretRulesOfPool(db, 'default', { deadMs: 60 * MINUTE })),
  sealBatch: of((db, { running, batch }) => store.sealBatch(db, running, batch.id)),
  stepBackfill: of(
    (db, { backfillId }) =>
      store.stepBackfill(db, { id: backfillId, seq: 0, cursorAt: ago(0), kept: 0, end: null, runs: [] }),
    sql('UPDATE backfill SET seq = 0 WHERE id = $1', ({ backfillId }) => [backfillId]),
  ),
  saveZoneVersion: of(
    (db) =>
      store.saveZoneVersion(db, {
        ...{ name: 'Own/Zone', rules: { offset: 0, changes: [] }, tzVersion: '2026a', expectedVersion: 1 },
      }),
    knownZone,
  ),
  confirmZoneVersion: of(
    (db) => store.confirmZoneVersion(db, { name: 'Own/Zone', version: 1, tzVersion: '2026a' }),
    knownZone,
  ),
  zoneVersions: of((db) => store.zoneVersions(db, ago(60 * MINUTE)), knownZone),
  zonesInUse: of(
    (db) => store.zonesInUse(db),
    sql(`UPDATE task SET schedule = schedule || '{"timeZone": "Own/Zone"}' WHERE id = $1`, ({ task }) => [task.queued]),
  ),
  tasksInZone: of(
    (db) => store.tasksInZone(db, 'Own/Zone', { after: null, limit: 9 }),
    sql(
      `WITH p AS (UPDATE task_plan SET next_run_at = now() WHERE task_id = $1) UPDATE task SET schedule = schedule || '{"timeZone": "Own/Zone"}' WHERE id = $1`,
      ({ task }) => [task.queued],
    ),
  ),
  replanTask: of(async (db, stage) => {
    const task = await store.findTask(stage.db, 'queued');
    if (!task) throw new Error('no fixture');
    return await store.replanTask(db, task, { nextRunAt: ago(-MINUTE), from: ago(0) });
  }),
  stopBackfill: of((db, { backfillId }) => store.stopBackfill(db, backfillId, WHO)),
  stopBatch: of((db, { batch }) => store.stopBatch(db, batch.id, 'x')),
  stopIfDeleted: of(
    (db, { batch }) => store.stopIfDeleted(db, batch.id),
    sql(`UPDATE task SET deleted_at = now() WHERE name = 'queued'`, () => []),
  ),
  takeClusterLock: of((db) => store.takeClusterLock(db, 'reconciler', MINUTE)),
  takeItem: of((db, { running, place }) => store.takeItem(db, running, { list: 'todo', done: place })),
  tasksWithCalendars: of(
    store.tasksWithCalendars,
    sql(`UPDATE task SET rules = rules || '{"calendars": {"exclude": ["holidays"]}}' WHERE id = $1`, ({ task }) => [
      task.queued,
    ]),
  ),
  tasksUsing: of(
    (db) => store.tasksUsing(db, 'holidays'),
    sql(`UPDATE task SET rules = rules || '{"calendars": {"exclude": ["holidays"]}}' WHERE id = $1`, ({ task }) => [
      task.queued,
    ]),
  ),
  wakeKeys: of((db) => store.wakeKeys(db, ['waiting']), freeRate()),
  wakeWaiting: of(
    (db, { waiting }) =>
      store.wakeWaiting(db, [{ key: 'waiting', runId: waiting.runId, hasRoom: true, behind: false }]),
    freeRate(),
  ),
  workItems: of((db) => store.workItems(db, 'todo', { limit: 9 })),
  writeHeartbeat: of((db, { worker: { id } }) =>
    store.writeHeartbeat(
      db,
      { id, role: 'worker', host: 'x', pid: 1, appVersion: '0', pools: [] },
      { activeRuns: [randomUUID()], clockOffsetMs: 0 },
    ),
  ),
};

/** The waiting run waits for its key alone. */
function freeRate() {
  return async ({ db, waiting }: Stage) => {
    await db.pool.query('DELETE FROM rate_wait WHERE run_id = $1', [waiting.runId]);
    await db.pool.query('UPDATE run SET rate_key = NULL WHERE id = $1', [waiting.runId]);
    await db.pool.query(
      `INSERT INTO key_slot (namespace, key, slot, fence, awaited) VALUES ($1, 'waiting', 1, 1, true)`,
      [db.namespace],
    );
  };
}
