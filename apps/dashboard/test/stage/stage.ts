import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createApi } from '@escapement/api';
import { actionOf, HOUR, MINUTE, processPrincipal, systemClock } from '@escapement/core';
import { parseEgress } from '@escapement/core/egress';
import {
  createSignInCode,
  createUser,
  pauseTask,
  requireTask,
  startBackfill,
  triggerTask,
} from '@escapement/operations';
import { ensureServers } from '@escapement/servers';
import { createLogger } from '@escapement/service';
import { type Database, openDatabase } from '@escapement/store';
import { startTestFleet } from '@escapement/test-fleet';
import { buildSite, SITE } from '../../build/site.ts';
import { addCalendars } from './calendars.ts';
import { addCrontabs } from './crontabs.ts';
import { addHistory, addUsual, nameReleases } from './history.ts';
import { addLists } from './lists.ts';
import { tasksAfter } from './tasks.ts';

const BY = actionOf(processPrincipal('the stage'));
/** Runs of so long lie behind. */
const HISTORY_MS = 3 * HOUR;
/** Before them nothing ran for so long: what asks is held since. */
const OUTAGE_MS = 1 * HOUR;

/** A fleet with a history, and the API with the dashboard before it: all real. */
export interface Stage {
  /** Of the dashboard. `localhost`: browsers keep the cookie for no other plain HTTP. */
  url: string;
  db: Database;
  /** A link that signs a browser in as the admin. */
  link(): Promise<string>;
  /** The id of the latest run of a task. */
  latestRun(task: string, state: string): Promise<string>;
  /** The id of the task of a name. */
  taskId(name: string): Promise<string>;
  /** Does something while the API is away; then it is there again, at the same address. */
  whileAway(work: () => Promise<void>): Promise<void>;
  stop(): Promise<void>;
}

export const VIEWER = { name: 'vera', password: 'correct horse battery' };

/** Between two instants of each task that asks, whatever the minute in which the tests begin: what is late by a little only is not held. */
function outageBefore(now: Date): Date {
  return new Date(Math.floor((now.getTime() - HISTORY_MS) / (10 * MINUTE)) * 10 * MINUTE + 5 * MINUTE);
}

export async function openStage(): Promise<Stage> {
  await buildSite();
  // Servers as for development: of those for tests the dashboard says that a crash can destroy the ledger.
  const dataDir = await mkdtemp(path.join(tmpdir(), 'escapement-stage-'));
  const servers = await ensureServers({ dataDir, compose: false, log: () => undefined });
  const { databaseUrl, redisUrl } = servers;
  const outage = outageBefore(systemClock.now());
  const fleet = await startTestFleet({
    ...{ tasks: tasksAfter(outage), databaseUrl, redisUrl },
    now: new Date(outage.getTime() - OUTAGE_MS),
    patienceMs: 5 * MINUTE,
  });
  await fleet.outage(outage);
  const db = openDatabase({ url: fleet.databaseUrl, namespace: fleet.namespace, applicationName: 'stage' });
  await pauseTask(db, 'legacy-feed', null, actionOf(processPrincipal('ann'), 'the feed moves to the new shop'));
  // The first takes seconds, in which time goes on.
  for (let times = 0; times < 3; times++) await fleet.advance(systemClock.now());
  await triggerTask(db, 'reindex-search', { by: BY });
  const missed = { fromAt: new Date(outage.getTime() - OUTAGE_MS), toAt: outage };
  await startBackfill(db, { task: 'sync-customers', ...missed, by: BY });
  await createUser(db, { name: 'ann', role: 'admin', rights: ['read-payload'], password: VIEWER.password }, BY);
  await createUser(db, { ...VIEWER, role: 'viewer' }, BY);
  await raiseAlert(db, 'import-orders');
  await addCalendars(db, BY);
  await addLists(db, BY);
  await addHistory(db, BY);
  await addUsual(db, 'reindex-search');
  await nameReleases(db, 'import-orders');
  await addCrontabs(db, BY);
  let api = apiOf(db, 0);
  const { port } = new URL((await api.start()).url);
  const url = `http://localhost:${port}`;
  return {
    url,
    db,
    link: async () => `${url}/sign-in#code=${await createSignInCode(db, 'ann', { now: systemClock.now(), by: BY })}`,
    latestRun: (task, state) => latestRun(db, task, state),
    taskId: async (name) => (await requireTask(db, name)).id,
    async whileAway(work) {
      await api.stop();
      try {
        await work();
      } finally {
        api = apiOf(db, Number(port));
        await api.start();
      }
    },
    async stop() {
      await api.stop();
      await db.close();
      await fleet.stop();
      await servers.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** An API with the dashboard before it, to be started. */
export function apiOf(db: Database, port: number) {
  return createApi({
    ...{ db, clock: systemClock, host: '127.0.0.1', port, hosts: [], trustedProxies: [], siteFolder: SITE },
    ...{ deadMs: 10_000, egress: parseEgress('public'), traceUrl: undefined, defaults: { email: [], webhook: [] } },
    ...{ maxClockOffsetMs: 500, allowEviction: false, appVersion: 'test' },
    log: createLogger({
      service: 'api',
      level: 'error',
      format: 'json',
      output: { write: (line: string) => process.stderr.write(line) },
    }),
    emit: () => undefined,
    onError: () => undefined,
  });
}

async function latestRun(db: Database, task: string, state: string): Promise<string> {
  const { rows } = await db.pool.query<{ id: string }>(
    `SELECT r.id FROM run r JOIN task t ON t.id = r.task_id WHERE t.name = $1 AND r.state = $2 ORDER BY r.scheduled_for DESC LIMIT 1`,
    [task, state],
  );
  const [run] = rows;
  if (!run) throw new Error(`no run of ${task} is ${state}`);
  return run.id;
}

/** As the schedulers raise one: no rule of a fleet under test is judged. */
async function raiseAlert(db: Database, task: string): Promise<void> {
  await db.pool.query(
    `INSERT INTO alert (namespace, rule, kind, severity, subject, task_id, labels, state, summary, why, runs, since, last_at, fire_at)
     SELECT $1, 'failed', 'failed', 'critical', 'task:' || t.id, t.id, jsonb_build_object('task', t.name), 'firing', t.name || ' has failed',
       '["the shop has answered 503"]', '[]', now(), now(), now() FROM task t WHERE t.namespace = $1 AND t.name = $2`,
    [db.namespace, task],
  );
}
