import { parseArgs } from 'node:util';
import { DAY, SECOND, systemClock } from '@escapement/core';
import { type Database, listRuns, openDatabase } from '@escapement/store';
import { answerTable, p95 } from './answers.ts';
import { type ApiClient, type ApiRequest, apiClient } from './api-client.ts';
import { costTable } from './api-costs.ts';
import { fillForApi, type LedgerAsked } from './api-ledger.ts';
import { type Measured, type Phase, phaseOf, phaseTable } from './api-phases.ts';
import { type BenchApi, makeApiUser, startApi } from './api-process.ts';
import { listRequest, runPageRequest, type Subjects, triggerRequest } from './api-requests.ts';
import { watch } from './api-watch.ts';
import { pause } from './apps.ts';
import { rssMbOf } from './cpu.ts';
import { PATIENT, startFleet } from './fleet.ts';
import { insertTasks } from './insert-tasks.ts';
import { type Answer, openLoop } from './open-loop.ts';
import { forgetStatements, statementTable } from './profile.ts';
import { type BenchServers, startServers } from './servers.ts';
import { figure, quantile } from './table.ts';
import type { Figures } from './targets.ts';

const RUNS = 10_000_000;
const TASKS = 10_000;
const DAYS = 28;
const SECONDS = 60;
/** Runs a second of the fleet, each of a task that fires every second. */
const FLEET_RATE = 500;
const REQUESTS = 100;
/** Each is a run more for the fleet. */
const TRIGGERS = 20;
const CLIENTS = 1000;
/** Until code is compiled, caches are full, and statements have found their plans. */
const WARM_UP_S = 20;
const IDLE_MS = 20 * SECOND;

interface Options extends LedgerAsked {
  seconds: number;
  clients: number;
  /** Runs a second of the fleet. */
  rate: number;
  /** Only what each list costs, beside a fleet that has nothing to do. */
  costs: boolean;
  /** Also which statements Postgres spends its time on beside the fleet. */
  statements: boolean;
}

interface Stage {
  options: Options;
  servers: BenchServers;
  db: Database;
  api: BenchApi;
  subjects: Subjects;
}

/**
 * `api [RUNS] [--tasks N] [--seconds N] [--clients N] [--rate N] [--costs] [--statements]`: how long the API takes for lists, pages of runs and triggers beside a fleet that
 * is at work, by how much runs start later meanwhile, and what clients cost that watch events.
 */
export async function run(args: readonly string[]): Promise<Figures> {
  const options = optionsOf(args);
  const servers = await startServers({
    postgresSettings: options.statements ? ['pg_stat_statements.track_planning=on'] : [],
  });
  try {
    return await measureAll(options, servers);
  } finally {
    await servers.stop();
  }
}

function optionsOf(args: readonly string[]): Options {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      tasks: { type: 'string' },
      seconds: { type: 'string' },
      clients: { type: 'string' },
      rate: { type: 'string' },
      costs: { type: 'boolean' },
      statements: { type: 'boolean' },
    },
  });
  return {
    runs: Number(positionals[0] ?? RUNS),
    tasks: Number(values.tasks ?? TASKS),
    rate: Number(values.rate ?? FLEET_RATE),
    days: DAYS,
    seconds: Number(values.seconds ?? SECONDS),
    clients: Number(values.clients ?? CLIENTS),
    costs: values.costs === true,
    statements: values.statements === true,
  };
}

async function measureAll(options: Options, servers: BenchServers): Promise<Figures> {
  const db = openDatabase({ url: servers.databaseUrl, applicationName: 'bench', ...PATIENT });
  try {
    await makeApiUser(db);
    await fillForApi(db, options);
    const api = await startApi(servers, db);
    try {
      await pause(IDLE_MS);
      const apiIdle = rssMbOf(api.pid);
      process.stdout.write(`the API, idle: ${figure(apiIdle)} MB\n`);
      const subjects = await subjectsOf(db, options);
      return { apiIdle, ...(await besideFleet({ options, servers, db, api, subjects })) };
    } finally {
      await api.stop();
    }
  } finally {
    await db.close();
  }
}

async function besideFleet(stage: Stage): Promise<Figures> {
  const { servers, db, api, subjects, options } = stage;
  const { postgresPid } = servers;
  const fleet = await startFleet(servers);
  const client = apiClient(api.url, api.token);
  try {
    const measured = { postgresPid, apiPid: api.pid };
    process.stdout.write(`\n${await costTable(client, subjects, measured)}`);
    if (options.costs) return {};
    await insertTasks(db, options.rate, (index) => everySecond(index, options.rate), { prefix: 'live' });
    await pause(WARM_UP_S * SECOND);
    const fleetPids = [fleet.scheduler, ...fleet.workers].map(({ pid }) => pid);
    return await measure({ ...stage, client }, { ...measured, db, fleetPids, fleetRate: options.rate });
  } finally {
    client.close();
    await fleet.stop();
  }
}

function everySecond(index: number, rate: number): { spec: object; nextRunAt: Date } {
  const firstMs = Math.ceil(systemClock.now().getTime() / SECOND) * SECOND + 3 * SECOND;
  const phaseMs = Math.floor((index * SECOND) / rate);
  return { spec: { kind: 'every', everyMs: SECOND, phaseMs }, nextRunAt: new Date(firstMs + phaseMs) };
}

async function measure(
  { options, api, subjects, client }: Stage & { client: ApiClient },
  measured: Measured,
): Promise<Figures> {
  const { seconds } = options;
  const loadOf = (perSecond: number, request: (index: number) => ApiRequest) => ({
    seconds,
    perSecond,
    ask: (index: number) => askOnce(client, request(index)),
  });
  const quiet = () => phaseOf('nothing', measured, () => pause(seconds * SECOND));
  const lists = loadOf(REQUESTS, (index) => listRequest(index, subjects));
  await openLoop({ ...lists, seconds: WARM_UP_S });
  // Before and after: what differs from minute to minute on the machine is in neither alone.
  const before = await quiet();
  if (options.statements) await forgetStatements(measured.db);
  const listed = await phaseOf(`${REQUESTS} lists/s`, measured, () => openLoop(lists));
  if (options.statements) process.stdout.write(`\n${await statementTable(measured.db, listed.result.length)}`);
  const after = await quiet();
  const shown = await phaseOf(`${REQUESTS} run pages/s`, measured, () =>
    openLoop(loadOf(REQUESTS, () => runPageRequest(subjects))),
  );
  const triggered = await phaseOf(`${TRIGGERS} triggers/s`, measured, () =>
    openLoop(loadOf(TRIGGERS, () => triggerRequest(subjects))),
  );
  const watched = await phaseOf(`${options.clients} clients of events`, measured, () => watch(api, options));
  const quietly = [...before.phase.lateness, ...after.phase.lateness];
  const phases = [before.phase, listed.phase, after.phase, shown.phase, triggered.phase, watched.phase];
  process.stdout.write(`\n${answerTable([...listed.result, ...shown.result, ...triggered.result])}`);
  process.stdout.write(
    `\n${phaseTable(phases)}\n${costLine(listed.phase, [before.phase, after.phase], listed.result)}`,
  );
  return {
    apiLists: p95(listed.result),
    apiRunPage: p95(shown.result),
    apiTrigger: p95(triggered.result),
    apiFleet: quantile(listed.phase.lateness, 0.99) / quantile(quietly, 0.99),
    ...watched.result,
  };
}

/** Runs and tasks that requests are about: of runs those that somebody looks at, the latest, the failed ones, and some of any time. */
async function subjectsOf(db: Database, { tasks, days }: Options): Promise<Subjects> {
  const now = systemClock.now();
  const lists = [{}, { states: ['failed'] }, { until: new Date(now.getTime() - (days / 2) * DAY) }] as const;
  const runs = await Promise.all(lists.map((filter) => listRuns(db, { ...filter, limit: 1000 })));
  const found = await db.pool.query<{ id: string }>(
    `SELECT id FROM task WHERE name LIKE 'bench-%' ORDER BY name LIMIT 5000`,
  );
  const taskIds = found.rows.map(({ id }) => id);
  return { tasks, days, now, taskIds, runIds: runs.flat().map(({ id }) => id) };
}

async function askOnce(client: ApiClient, asked: ApiRequest): Promise<{ kind: string; failure?: string }> {
  try {
    await client.send(asked);
    return { kind: asked.kind };
  } catch (error) {
    return { kind: asked.kind, failure: String(error) };
  }
}

/** What a list costs: all that the API used, and what Postgres used more than without. */
function costLine({ cores, seconds }: Phase, without: readonly Phase[], answers: readonly Answer[]): string {
  const usual = without.reduce((sum, phase) => sum + phase.cores.postgres, 0) / without.length;
  const ms = (share: number) => figure((share * seconds * SECOND) / answers.length, 1);
  return `a list costs ${ms(cores.api)} ms of a processor in the API, and ${ms(cores.postgres - usual)} ms in Postgres\n`;
}
