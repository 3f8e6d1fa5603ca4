import path from 'node:path';
import type { EscapementError } from '@escapement/core';
import { ensureServers, freePort } from '@escapement/servers';
import { migrate } from '@escapement/store';
import { buildSite } from '../../apps/dashboard/build/site.ts';
import { root } from '../process.mjs';
import type { AppName } from './affected.ts';
import { keepApiToken } from './api-token.ts';
import { startApp } from './app.ts';
import type { Claim } from './claim.ts';
import { reloadOnChange } from './reload.ts';

export interface FleetOptions {
  claim: Claim;
  /** Folders of tasks that the worker loads, from the root. */
  tasks: readonly string[];
  log: (line: string) => void;
  /** A server of its own ends again and again, or does not start any more. */
  onGivenUp: (error: EscapementError) => void;
}

export interface Fleet {
  /** Resolves when the apps have been started, with where they answer. Throws where servers or migrations fail. */
  start(): Promise<Started>;
  /** Ends everything that was started, in reverse order; also in the middle of a start. */
  stop(): Promise<void>;
}

/** Where the apps answer `/healthz` and `/readyz`. */
export type Health = Record<AppName, string>;

/** What was started. */
export interface Started {
  health: Health;
  /** Where the API answers, and serves the dashboard. */
  apiUrl: string;
  databaseUrl: string;
}

/** With the 2.5 s that a shell task has between SIGTERM and SIGKILL, a worker ends by itself before Ctrl-C must have. */
const GRACE_MS = 1_000;

/** What a developer's task calls is often a server on the same machine. */
const DEV_EGRESS = 'public,loopback';

/** What `npm run dev` runs: servers, migrations, a scheduler, a worker, the API. */
export function createFleet({ claim, tasks, log, onGivenUp }: FleetOptions): Fleet {
  const undo: (() => unknown)[] = [];
  let starting: Promise<unknown> = Promise.resolve();
  /** One that lost a server while it started has ended. */
  let revive = () => {};

  async function start(): Promise<Started> {
    const { databaseUrl, redisUrl, stop } = await ensureServers({
      dataDir: path.join(root, '.escapement'),
      composeFile: path.join(root, 'docker-compose.yml'),
      databaseUrl: process.env.DATABASE_URL,
      redisUrl: process.env.REDIS_URL,
      log,
      onGivenUp,
      onBack: () => revive(),
    });
    undo.push(stop);
    await migrate(databaseUrl, { log, createDatabase: true });
    await keepApiToken(API_TOKEN, databaseUrl);
    if (await buildSite()) log('the dashboard is built');
    const ports = { scheduler: await freePort(8080), worker: await freePort(8081), api: await freePort(8082) };
    const health = { scheduler: urlOf(ports.scheduler), worker: urlOf(ports.worker), api: urlOf(ports.api) };
    const apiPort = await freePort(4747);
    const apiUrl = urlOf(apiPort);
    const own = appEnvironment(tasks);
    claim.write({ databaseUrl, redisUrl, health, apiUrl, egress: own.ESCAPEMENT_EGRESS ?? DEV_EGRESS });
    if (own.ESCAPEMENT_EGRESS === DEV_EGRESS)
      log(
        `requests of tasks may reach this machine's own ports here (ESCAPEMENT_EGRESS=${DEV_EGRESS}); elsewhere they may not`,
      );
    const start = (name: AppName) =>
      startApp(
        name,
        mainOf(name),
        { ...own, ESCAPEMENT_HEALTH_PORT: String(ports[name]), ESCAPEMENT_API_PORT: String(apiPort) },
        [`DATABASE_URL="${databaseUrl}"`, `REDIS_URL="${redisUrl}"`],
      );
    const apps = { scheduler: start('scheduler'), worker: start('worker'), api: start('api') };
    const all = Object.values(apps);
    revive = () => void Promise.all(all.map((app) => app.revive()));
    undo.push(() => Promise.all(all.map((app) => app.stop())));
    undo.push(reloadOnChange({ apps, tasks, databaseUrl, log }));
    return { health, apiUrl, databaseUrl };
  }

  return {
    start: () => {
      const started = start();
      starting = started;
      return started;
    },
    stop: async () => {
      await starting.catch(() => undefined);
      for (const step of undo.reverse()) await step();
    },
  };
}

/** Where the token for the API is kept. */
export const API_TOKEN = path.join(root, '.escapement', 'api-token');

const mainOf = (app: AppName) => path.join(root, 'apps', app, 'src', 'main.ts');
const urlOf = (port: number) => `http://127.0.0.1:${port}`;

/** What the apps are configured with, unless the developer's own environment says otherwise. */
function appEnvironment(tasks: readonly string[]): NodeJS.ProcessEnv {
  // What npm tells its scripts about itself would confuse any npm that a task calls; the servers are known already.
  const own = Object.entries(process.env).filter(([name]) => !/^(npm_|DATABASE_URL$|REDIS_URL$)/.test(name));
  return {
    ESCAPEMENT_ALLOW_SHELL: 'true',
    ESCAPEMENT_ALLOW_INLINE: 'true',
    // Also for root: nobody else need be able to read this folder.
    ...(process.getuid ? { ESCAPEMENT_RUN_AS: String(process.getuid()) } : {}),
    // One application, whichever folders are loaded: the tasks of one that is loaded no more are paused.
    ESCAPEMENT_APP: 'dev',
    ESCAPEMENT_TASKS: tasks.map((folder) => path.join(root, folder)).join(','),
    ESCAPEMENT_EGRESS: DEV_EGRESS,
    ESCAPEMENT_LOG_FORMAT: 'pretty',
    ESCAPEMENT_GRACE_MS: String(GRACE_MS),
    ...Object.fromEntries(own),
  };
}
