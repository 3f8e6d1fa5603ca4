import path from 'node:path';
import { ensureServers, freePort } from '@escapement/servers';
import { migrate } from '@escapement/store';
import { root } from '../process.mjs';
import type { AppName } from './affected.ts';
import { startApp } from './app.ts';
import type { Claim } from './claim.ts';
import { reloadOnChange } from './reload.ts';

export interface FleetOptions {
  claim: Claim;
  /** Folders of tasks that the worker loads, from the root. */
  tasks: readonly string[];
  log: (line: string) => void;
}

export interface Fleet {
  /** Resolves when the apps have been started, with their health servers. Throws where servers or migrations fail. */
  start(): Promise<Health>;
  /** Ends everything that was started, in reverse order; also in the middle of a start. */
  stop(): Promise<void>;
}

/** Where the apps answer `/healthz` and `/readyz`. */
export type Health = Record<AppName, string>;

/** With the 2.5 s that a shell task has between SIGTERM and SIGKILL, a worker ends by itself before Ctrl-C must have. */
const GRACE_MS = 1_000;

/** What `npm run dev` runs: servers, migrations, one scheduler, one worker. */
export function createFleet({ claim, tasks, log }: FleetOptions): Fleet {
  const undo: (() => unknown)[] = [];
  let starting: Promise<unknown> = Promise.resolve();

  async function start(): Promise<Health> {
    const { databaseUrl, redisUrl, stop } = await ensureServers({
      dataDir: path.join(root, '.escapement'),
      composeFile: path.join(root, 'docker-compose.yml'),
      databaseUrl: process.env.DATABASE_URL,
      redisUrl: process.env.REDIS_URL,
      log,
    });
    undo.push(stop);
    await migrate(databaseUrl, { log, createDatabase: true });
    const ports = { scheduler: await freePort(8080), worker: await freePort(8081) };
    const health = { scheduler: urlOf(ports.scheduler), worker: urlOf(ports.worker) };
    claim.write({ databaseUrl, redisUrl, health });
    const env = { ...appEnvironment(tasks), DATABASE_URL: databaseUrl, REDIS_URL: redisUrl };
    const apps = {
      scheduler: startApp('scheduler', mainOf('scheduler'), {
        ...env,
        ESCAPEMENT_HEALTH_PORT: String(ports.scheduler),
      }),
      worker: startApp('worker', mainOf('worker'), { ...env, ESCAPEMENT_HEALTH_PORT: String(ports.worker) }),
    };
    undo.push(() => Promise.all([apps.scheduler.stop(), apps.worker.stop()]));
    undo.push(reloadOnChange({ apps, tasks, databaseUrl, log }));
    return health;
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

const mainOf = (app: AppName) => path.join(root, 'apps', app, 'src', 'main.ts');
const urlOf = (port: number) => `http://127.0.0.1:${port}`;

/** What the apps are configured with, unless the developer's own environment says otherwise. */
function appEnvironment(tasks: readonly string[]): NodeJS.ProcessEnv {
  // What npm tells its scripts about itself would confuse any npm that a shell task calls.
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('npm_'));
  return {
    ESCAPEMENT_ALLOW_SHELL: 'true',
    // One application, whichever folders are loaded: the tasks of one that is loaded no more are paused.
    ESCAPEMENT_APP: 'dev',
    ESCAPEMENT_TASKS: tasks.map((folder) => path.join(root, folder)).join(','),
    ESCAPEMENT_LOG_FORMAT: 'pretty',
    ESCAPEMENT_GRACE_MS: String(GRACE_MS),
    ...Object.fromEntries(own),
  };
}
