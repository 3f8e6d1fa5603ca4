import path from 'node:path';
import { EscapementError } from '@escapement/core';
import { ensureServers } from '@escapement/servers';
import { migrate } from '@escapement/store';
import { keepApiToken } from './api-token.ts';
import { type App, startApp } from './app.ts';
import type { Claim } from './claim.ts';
import { type Joining, joinOrLeave, requirePair } from './joined-fleet.ts';
import type { AppName, Layout } from './layout.ts';
import { reservePort } from './reserved-port.ts';
import { watchSources } from './watch.ts';

export interface FleetOptions {
  claim: Claim;
  layout: Layout;
  /** The environment of the developer, which the apps get. */
  env: NodeJS.ProcessEnv;
  log: (line: string) => void;
  /** Whether to join a fleet that works on the database already. */
  joining: Pick<Joining, 'join' | 'confirm'>;
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
  /** Whether all apps run. */
  areUp: () => boolean;
}

/** With the 2.5 s that a shell task has between SIGTERM and SIGKILL, a worker ends by itself before Ctrl-C must have. */
const GRACE_MS = 1_000;

/** An app ends within five seconds of the `dev` that started it. */
const ENDING_MS = 6_000;

/** What a developer's task calls is often a server on the same machine. */
const DEV_EGRESS = 'public,loopback';

/** Servers, migrations, a scheduler, a worker, the API. */
export function createFleet({ claim, layout, env, log, joining, onGivenUp }: FleetOptions): Fleet {
  const undo: (() => unknown)[] = [];
  let starting: Promise<unknown> = Promise.resolve();
  /** One that lost a server while it started has ended. */
  let revive = () => {};

  async function start(): Promise<Started> {
    requirePair(env);
    const { databaseUrl, redisUrl, stop } = await ensureServers({
      dataDir: path.join(layout.root, '.escapement'),
      ...(layout.composeFile === undefined ? { compose: false } : { composeFile: layout.composeFile }),
      databaseUrl: env.DATABASE_URL,
      redisUrl: env.REDIS_URL,
      log,
      onGivenUp,
      onBack: () => revive(),
    });
    undo.push(stop);
    await joinOrLeave(databaseUrl, { ...joining, joinCommand: layout.joinCommand, log, patienceMs: ENDING_MS });
    await migrate(databaseUrl, { log, createDatabase: true });
    await keepApiToken(path.join(layout.root, '.escapement', 'api-token'), databaseUrl);
    await layout.prepare?.(log);
    const take = async (preferred: number) => {
      const { port, release } = await reservePort(preferred);
      undo.push(release);
      return port;
    };
    const ports = { scheduler: await take(8080), worker: await take(8081), api: await take(8082) };
    const health = { scheduler: urlOf(ports.scheduler), worker: urlOf(ports.worker), api: urlOf(ports.api) };
    const apiPort = await take(4747);
    const apiUrl = urlOf(apiPort);
    const own = appEnvironment(layout, env);
    claim.write({ databaseUrl, redisUrl, health, apiUrl, egress: own.ESCAPEMENT_EGRESS ?? DEV_EGRESS });
    if (own.ESCAPEMENT_EGRESS === DEV_EGRESS)
      log(
        `requests of tasks may reach this machine's own ports here (ESCAPEMENT_EGRESS=${DEV_EGRESS}); elsewhere they may not`,
      );
    const start = (name: AppName) =>
      startApp(
        { name, start: layout.start(name), cwd: layout.root },
        {
          ESCAPEMENT_API_URL: apiUrl,
          ...own,
          ESCAPEMENT_HEALTH_PORT: String(ports[name]),
          ESCAPEMENT_API_PORT: String(apiPort),
        },
        [`DATABASE_URL="${databaseUrl}"`, `REDIS_URL="${redisUrl}"`],
      );
    const apps = { scheduler: start('scheduler'), worker: start('worker'), api: start('api') };
    const all = Object.values(apps);
    revive = () => void Promise.all(all.map((app) => app.revive()));
    undo.push(() => Promise.all(all.map((app) => app.stop())));
    undo.push(reloadOnChange({ apps, layout, databaseUrl, log }));
    return { health, apiUrl, databaseUrl, areUp: () => all.every((app) => app.isUp()) };
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

const urlOf = (port: number) => `http://127.0.0.1:${port}`;

interface ReloadOptions {
  apps: Record<AppName, App>;
  layout: Layout;
  databaseUrl: string;
  log: (line: string) => void;
}

/** Restarts the apps that a change of files concerns. Returns what ends it. */
function reloadOnChange({ apps, layout, databaseUrl, log }: ReloadOptions): () => void {
  async function reload(files: string[]): Promise<void> {
    const affected = await layout.changed(files, databaseUrl);
    if (affected.length === 0) return;
    log(`${files.join(', ')} changed: restarting ${affected.join(' and ')}`);
    await Promise.all(affected.map((name) => apps[name].restart()));
  }

  return watchSources({ folders: layout.watched, files: layout.watchedFiles }, (changed) => {
    reload(changed.map((file) => path.relative(layout.root, file))).catch((error) => log(messageOf(error)));
  });
}

function messageOf(error: unknown): string {
  return error instanceof EscapementError ? `${error.message}; ${error.fix ?? 'nothing is restarted'}` : String(error);
}

/** What the apps are configured with, unless the developer's own environment says otherwise. */
function appEnvironment({ root, tasks }: Layout, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  // What npm tells its scripts about itself would confuse any npm that a task calls; the servers are known already.
  const own = Object.entries(env).filter(([name]) => !/^(npm_|DATABASE_URL$|REDIS_URL$)/.test(name));
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
