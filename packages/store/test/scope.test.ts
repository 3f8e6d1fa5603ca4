import { EscapementError } from '@escapement/core';
import { testDatabase } from '@escapement/testkit';
import { afterAll, describe, expect, it } from 'vitest';
import * as store from '../src/index.ts';
import { ago, MINUTE } from './ledger.ts';
import { snapshot } from './scope/snapshot.ts';
import { CANARY, makeNeighbours, makeStage, WHO } from './scope/stage.ts';
import { carryOutOthers, namesInSource } from './scope/statements.ts';
import { OTHERS, RUNS, TASKS, type Try } from './scope/tries.ts';

// All that the package exports, tried from a second namespace with the ids and names of the first: it finds nothing there and
// changes nothing. From the first one each finds or changes something, so that the try is one; and it leaves alone what has other
// names, and what has the same names in a third namespace, and answers as it does where there is neither.
/** The names of statements that Postgres has prepared, also on connections that a refusal has ended. */
const prepared = new Set<string>();
const [shared, elsewhere] = [await ofOneConnection(), await ofOneConnection()];
afterAll(() => Promise.all([shared.close(), elsewhere.close()]));

/** One connection to a database of its own: what it does can be taken back. */
async function ofOneConnection(): Promise<store.Database> {
  const { url } = await testDatabase();
  const idleInTransactionTimeoutMs = 10 * MINUTE;
  const opened = store.openDatabase({ url, applicationName: 'test', connections: 1, idleInTransactionTimeoutMs });
  opened.pool.on('release', (_, link) => {
    const parsed: object = Reflect.get(Reflect.get(link, 'connection'), 'parsedStatements');
    for (const name of Object.keys(parsed)) prepared.add(name);
  });
  return { ...opened, hot: opened.pool, pulse: opened.pool };
}

const TRIED: Record<string, Try> = { ...RUNS, ...TASKS, ...OTHERS };

const limit = 100;
const range = { from: ago(60 * MINUTE), to: ago(-MINUTE) };

/** They take neither id nor name: what they do is about their own namespace. */
const WHOLE: Record<string, (db: store.Database) => Promise<unknown>> = {
  readWorkers: (db) => store.readWorkers(db, { withinMs: MINUTE }),
  actionsSince: (db) => store.actionsSince(db, range.from, limit),
  changeDigests: (db) => store.changeDigests(db, { deadMs: MINUTE, committedMs: 0, lateMs: MINUTE }),
  runsEndedSince: (db) => store.runsEndedSince(db, range.from, limit),
  runsUnderWay: (db) => store.runsUnderWay(db, limit),
  batchesToAdvance: (db) => store.batchesToAdvance(db, limit),
  calendarsInForce: (db) => store.calendarsInForce(db, range),
  countQueued: store.countQueued,
  dispatchableRuns: (db) => store.dispatchableRuns(db, { horizonMs: MINUTE, repeatGraceMs: 0, limit }),
  dropUnfilled: store.dropUnfilled,
  dueOutboxEntries: (db) => store.dueOutboxEntries(db, { olderThanMs: 0, limit }),
  dueTaskChanges: (db) => store.dueTaskChanges(db, { aheadMs: 60 * MINUTE, limit }),
  dueTasks: (db) => store.dueTasks(db, { horizonMs: MINUTE, limit }),
  findCancelledRuns: (db) => store.findCancelledRuns(db, limit),
  findDeadSlots: (db) => store.findDeadSlots(db, limit),
  findLateStarts: (db) => store.findLateStarts(db, { limit, deadMs: MINUTE }),
  findRunsOfGoneWorkers: (db) => store.findRunsOfGoneWorkers(db, limit),
  findLostWakeUps: (db) => store.findLostWakeUps(db, limit),
  findOldest: async (db) => ({ ...(await store.findOldest(db)), ms: 0 }),
  findOverwaited: (db) => store.findOverwaited(db, limit),
  fleetFigures: (db) => store.fleetFigures(db, { deadMs: MINUTE }),
  fleetStartTasks: store.fleetStartTasks,
  goneWorkerQueues: store.goneWorkerQueues,
  followedTasks: store.followedTasks,
  probeLedger: (db) => store.probeLedger(db, store.PROBE_KINDS),
  inspectDatabase: store.inspectDatabase,
  inspectProduction: store.inspectProduction,
  knownQueues: store.knownQueues,
  heldByWorkers: (db) => store.heldByWorkers(db, MINUTE),
  lookedBackTo: (db) => store.lookedBackTo(db, { origins: ['schedule'], limit }),
  listProcesses: (db) => store.listProcesses(db, { withinMs: MINUTE }),
  listRequests: (db) => store.listRequests(db, limit),
  listTasks: (db) => store.listTasks(db),
  listTokens: store.listTokens,
  listUsers: store.listUsers,
  lostRuns: (db) => store.lostRuns(db, { silentMs: 0, limit }),
  misfiredRuns: (db) => store.misfiredRuns(db, limit),
  overdueRuns: (db) => store.overdueRuns(db, { overdueMs: 0, limit, lookAt: limit }),
  poolNames: store.poolNames,
  priorityPools: store.priorityPools,
  pruneRuns: (db) => store.pruneRuns(db, { after: null, limit }),
  queuedRuns: (db) => store.queuedRuns(db, { after: undefined, limit }),
  readAuditLog: (db) => store.readAuditLog(db, { limit }),
  readDrift: store.readDrift,
  readPasses: store.readPasses,
  readQueueBlocks: store.readQueueBlocks,
  repeatableTasks: (db) =>
    store.repeatableTasks(db, { maxEveryMs: 10 * MINUTE, withinMs: MINUTE, after: undefined, limit }),
  requestResync: store.requestResync,
  rollUpHours: (db) => store.rollUpHours(db, limit),
  rollUpStale: (db) => store.rollUpStale(db, limit),
  runningBackfills: (db) => store.runningBackfills(db, limit),
  sincePlannerPass: store.sincePlannerPass,
  takeDeliveries: (db) => store.takeDeliveries(db, { limit, claimMs: MINUTE, alerts: limit }),
  alertsToNotify: (db) => store.alertsToNotify(db, { after: 0n, limit }),
  listAlerts: (db) => store.listAlerts(db, { limit }),
  listDeliveries: (db) => store.listDeliveries(db, { limit }),
  failingReceivers: (db) => store.failingReceivers(db, ['ops']),
  fleetForAlerts: (db) => store.fleetForAlerts(db, { deadMs: MINUTE, size: true }),
  unplannableTasks: store.unplannableTasks,
  listSilences: store.listSilences,
  listMonitors: (db) => store.listMonitors(db, { limit }),
  troubledMonitors: (db) => store.troubledMonitors(db, ago(-MINUTE)),
  openAlertsOf: (db) => store.openAlertsOf(db, { kinds: ['failed'], after: 0n, limit }),
  readAlerting: store.readAlerting,
  readAlertFacts: (db) => store.readAlertFacts(db, limit),
  resolveOrphans: (db) => store.resolveOrphans(db, { rules: [], kinds: ['failed'] }),
  runsForAlert: (db) => store.runsForAlert(db, 'held', 0),
  successesSince: (db) => store.successesSince(db, { after: { finishedAt: ago(60 * MINUTE) }, limit }),
  tasksForAlerts: store.tasksForAlerts,
  forecastDigest: (db) => store.forecastDigest(db, {}),
  tasksToForecast: (db) => store.tasksToForecast(db, {}),
  pausesAhead: store.pausesAhead,
  poolCapacity: (db) => store.poolCapacity(db, { deadMs: MINUTE }),
  tasksFingerprint: store.tasksFingerprint,
  namedTasksFingerprint: (db) => store.namedTasksFingerprint(db, ['nightly']),
  notePingIntake: store.notePingIntake,
  lastLook: (db) => store.lastLook(db),
  doneUntil: (db) => store.doneUntil(db, 'reconciler'),
  noteDoneUntil: (db) => store.noteDoneUntil(db, 'reconciler', ago(0)),
  noteLook: (db) => store.noteLook(db, null),
  ledgerOrigin: store.ledgerOrigin,
  ownLedger: store.ownLedger,
  noteAlive: store.noteAlive,
  redisUse: (db) => store.redisUse(db, 'nobody'),
  moveRedis: (db) => store.moveRedis(db, { from: null, to: 'here' }),
  countCopiedWork: store.countCopiedWork,
  acceptCopy: (db) => store.acceptCopy(db, { copyAt: ago(MINUTE), untilAt: ago(0), close: true, lose: true }, WHO),
  noteLedgerVerified: (db) => store.noteLedgerVerified(db, { gaps: 1, named: [] }),
  takeRequests: (db) => store.takeRequests(db, { taker: 'x', goneMs: 0, chunkGoneMs: 0, limit }),
  taskNames: store.taskNames,
  tasksInMinute: (db) => store.tasksInMinute(db, ago(MINUTE), 'x'),
  unservedQueues: (db) => store.unservedQueues(db, { deadMs: MINUTE }),
  vanishedTasks: (db) => store.vanishedTasks(db, { ...range, limit }),
  wakeRated: store.wakeRated,
  workLists: store.workLists,
};

/** Why others are not about a namespace. */
const OF_NO_NAMESPACE: Record<string, string> = {
  askForLife: 'reads nothing: whether Postgres answers',
  isNamespaceUsed: 'asks whether its namespace has any row at all',
  namespacesWithTasks: 'names of namespaces, for who has mistyped one',
  toNameLike: 'text of SQL',
  createGroupCommit: 'shares what is called through it',
  dropOldPartitions: 'partitions have the rows of all namespaces; for the pruner alone',
  ensurePartitions: 'partitions have the rows of all namespaces; for the pruner alone',
  grantPartitions: 'partitions have the rows of all namespaces; for the pruner alone',
  inspectRoles: 'reads who has which rights',
  hasReplayed: 'asks how far a server is',
  logPosition: 'asks how far a server is',
  whyNotStandbyOf: 'asks which server it is',
  isConnectionError: 'pure',
  isDataFault: 'pure',
  readEach: 'pure',
  splitOnDataFault: 'shares what is called through it',
  isPassingError: 'pure',
  lackOf: 'pure',
  linkConfig: 'pure',
  listenForCancel: 'hints carry no data; those of other namespaces are passed over',
  whileSetIsHeld: 'a lock by the name of the namespace and the source',
  listenForWake: 'hints carry no data; those of other namespaces are passed over',
  migrate: 'makes the tables',
  openDatabase: 'makes the scope',
  partitionOf: 'pure',
  partitionedDaysAhead: 'partitions have the rows of all namespaces',
  partitionsWithoutRights: 'partitions have the rows of all namespaces',
  pendingMigrations: 'reads which migrations were applied',
  explainHindrance: 'words an error',
  explainRefusal: 'words an error',
  findStrayedSettings: 'reads the settings of its sessions',
  livingPrograms: 'names hosts and processes alone, for who would migrate the whole database',
  pingDatabase: 'reads clock and version',
  pruneSmallTables: 'forgets what is old, by its age alone; for the pruner',
  query: 'runs what it is given',
  rateHint: 'pure',
  remedyFor: 'pure',
  requireRights: 'reads the rights of its user',
  rerunTerms: 'pure',
  toBatchProgress: 'pure',
  toRateView: 'pure',
  taskForAlert: 'pure',
  expressionError: 'reads an expression',
};

it('every function that the package exports is tried, or listed with the reason why it is not', () => {
  const exported = Object.entries(store).filter(([, value]) => typeof value === 'function');
  const listed = [...Object.keys(TRIED), ...Object.keys(WHOLE), ...Object.keys(OF_NO_NAMESPACE)];
  expect(listed.sort()).toEqual(exported.map(([name]) => name).sort());
});

const stage = await makeStage(shared, 'first');
const lonely = await makeStage(elsewhere, 'first');
// Others that could be taken for it: of the same names and keys in another namespace, and of other names and keys in its own.
const twin = await makeStage(shared, 'twin');
const neighbours = await makeNeighbours(stage);
const twinIds = [...Object.values(twin.task), twin.queued.runId, twin.failed.runId, twin.running.runId, twin.batch.id];
const twinAsItWas = await snapshot(twin.db);
const theirs = ['"namespace": "twin"', ...neighbours, ...twinIds];

/** They are about all of a namespace, or of a pool, that is as they ask, so that they find the neighbours too. */
const FIND_NEIGHBOURS = new Set([
  'endedRuns',
  'ungroupedFailures',
  'countFailures',
  'runsOfFingerprint',
  'poolDemand',
  'longestRunning',
]);
/** Their answer tells of the database itself, of what the try from the second namespace has made there, or of the hour and how long runs took. */
const ANSWER_ANEW = new Set(['noteMarker', 'insertOidcUser', 'taskOutcomes', 'hourlyOutcomes']);

describe('with an id or a name of another namespace', () => {
  it.each(Object.keys(TRIED))('%s finds and changes nothing', async (name) => {
    const { action, before } = TRIED[name] as Try;
    await undone(async (home) => {
      const there = { ...stage, db: home };
      await before?.(there);
      const asItWas = await snapshot(home, 'twin');
      const found = await outcome(() => action({ ...home, namespace: 'second' }, there));
      expect(found).not.toContain(CANARY);
      expect(await snapshot(home, 'twin')).toBe(asItWas);
      const foundAtHome = await outcome(() => action(home, there));
      const asItIs = await snapshot(home, 'twin');
      expect(found === foundAtHome && asItWas === asItIs).toBe(false);
      expect(about(theirs, asItIs)).toEqual(about(theirs, asItWas));
      if (!FIND_NEIGHBOURS.has(name) && !ANSWER_ANEW.has(name))
        expect(timeless(foundAtHome)).toBe(timeless(await alone(name)));
      const others = FIND_NEIGHBOURS.has(name) ? twinIds : [...twinIds, ...neighbours];
      expect(others.filter((id) => foundAtHome.includes(id))).toEqual([]);
    });
  });
});

it('what is about a namespace as a whole leaves out the others', async () => {
  const asItWas = await snapshot(stage.db);
  const third = { ...shared, namespace: 'third' };
  for (const [name, action] of Object.entries(WHOLE)) {
    const found = await outcome(() => action(third));
    for (const theirs of [CANARY, stage.queued.runId, stage.task.queued, stage.worker.id])
      expect(found, name).not.toContain(theirs);
  }
  expect(await snapshot(stage.db)).toBe(asItWas);
});

it.each(Object.keys(WHOLE))('%s leaves namesakes in another namespace alone', async (name) => {
  await undone(async (home) => {
    const found = await outcome(() => (WHOLE[name] as (db: store.Database) => Promise<unknown>)(home));
    expect(twinIds.filter((id) => found.includes(id))).toEqual([]);
    expect(await snapshot(twin.db)).toBe(twinAsItWas);
  });
});

/** They make the names of statements from the bounds that are asked for, or prepare none. */
const NAMED_OTHERWISE = [
  'alerts/successes.ts',
  'bulk/choose-runs.ts',
  'keys/read-keys.ts',
  'partitions/week-statement.ts',
  'postgres/caller-transaction.ts',
  'requests.ts',
  'runs/count-runs.ts',
  'runs/list-runs.ts',
  'runs/longest-running.ts',
  'runs/looked-back-to.ts',
  'runs/run-changes.ts',
];

it('these tests carry out every named statement of the package', async () => {
  await carryOutOthers(stage);
  const { names, unread } = namesInSource();
  expect(unread.sort()).toEqual(NAMED_OTHERWISE);
  expect(names.length).toBeGreaterThan(300);
  // A statement of one week has the name of its partition at the end.
  const isPrepared = (name: string) => [...prepared].some((each) => new RegExp(`^${name}(_run_p\\d+)?$`).test(each));
  expect(names.filter((name) => !isPrepared(name))).toEqual([]);
});

it('no name of a statement is longer than Postgres keeps: two that differ behind that would be one', () => {
  expect([...prepared].filter((name) => Buffer.byteLength(name) > 63)).toEqual([]);
});

/** Does something in the first namespace, and takes it back. */
async function undone(work: (home: store.Database) => Promise<void>): Promise<void> {
  await shared.pool.query('BEGIN');
  try {
    await work(stage.db);
  } finally {
    await shared.pool.query('ROLLBACK');
  }
}

/** What the same call answers in a database that has nothing else. */
async function alone(name: string): Promise<string> {
  const { action, before } = TRIED[name] as Try;
  await lonely.db.pool.query('BEGIN');
  try {
    await before?.(lonely);
    return await outcome(() => action(lonely.db, lonely));
  } finally {
    await lonely.db.pool.query('ROLLBACK');
  }
}

/** An answer without its times, its ids and the numbers that sequences give. */
function timeless(text: string): string {
  return text
    .replaceAll(/[\da-f]{8}-[\da-f-]{27}/g, 'id')
    .replaceAll(/"[^"]*\d{4}-\d\d-\d\d[T ][^"]*"/g, '"time"')
    .replaceAll(/"(\w*(?:[iI]d|[mM]s|fence|seq|number|At|at|since))":("?)-?[\d.]+(?:e[-+]?\d+)?\2/g, '"$1":"number"')
    .replaceAll(/\b\d{13}\b|^"\d+"$/g, 'number');
}

/** The lines of a snapshot, one a row, that name one of these. */
function about(ids: readonly string[], text: string): string[] {
  return text.split('\n').filter((line) => ids.some((id) => line.includes(id)));
}

/** What a call answers, as text; an error by its code. */
async function outcome(call: () => Promise<unknown>): Promise<string> {
  try {
    return JSON.stringify(await call(), plain) ?? 'nothing';
  } catch (error) {
    return error instanceof EscapementError ? `${error.code}: ${error.message}` : String(error);
  }
}

function plain(_: string, value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof Map) return [...value];
  return value instanceof Set ? [...value] : value;
}
