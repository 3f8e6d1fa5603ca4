import { setTimeout as delay } from 'node:timers/promises';
import { codeNeed, handlerFacts, offersUnder, SHELL_NEED, systemClock, workerNameOf } from '@escapement/core';
import { judgeSecret } from '@escapement/core/secrets';
import {
  type Accounts,
  accountsOf,
  appNameOf,
  createHandlers,
  type DescribedTask,
  type Handlers,
} from '@escapement/handlers';
import { type CodeToDeploy, deploymentOf } from '@escapement/operations';
import {
  type App,
  type AppContext,
  createLedgerVerifier,
  exitOver,
  orExit,
  type ProcessHost,
  runApp,
} from '@escapement/runtime';
import {
  type Config,
  type Environment,
  type HealthCheck,
  loadConfig,
  secretsFrom,
  taskEnvironment,
} from '@escapement/service';
import { type Database, registerDeployment, sincePlannerPass } from '@escapement/store';
import { createCodeSync, createWorker, SELF_ABORT_SHARE } from '@escapement/worker';
import manifest from '../package.json' with { type: 'json' };
import { exposuresOf } from './exposures.ts';
import { loadTasks, tasksCheck } from './load-tasks.ts';
import { readProject } from './project.ts';

/** A process gets SIGKILL so long after its SIGTERM: before the worker itself must be gone. */
const KILL_AFTER_MS = 2500;

/** Runs a worker until it is told to end. `host`: the process, where it shares one. */
export async function runWorker(own: Environment, host?: ProcessHost): Promise<void> {
  const { env, build: built } = await readProject(own, process.cwd()).catch(exitOver);
  const config = orExit(() => loadConfig(env, 'worker'));
  await runApp({
    role: 'worker',
    version: manifest.version,
    config,
    env,
    host,
    pools: config.pools,
    secrets: [...secretsFrom(env, config.secrets).values()],
    graceMs: config.graceMs,
    build: async (context) => {
      if (built) context.log.info({ folder: built.folder, release: built.release }, 'tasks come from a build');
      return await build(context, config, env);
    },
  });
}

async function build(context: AppContext, config: Config<'worker'>, env: Environment): Promise<App> {
  const accounts = await accountsOf({ runAs: config.runAs, allowRoot: config.allowRootTasks, env });
  const exposes = await exposuresOf({ accounts, config, env });
  if (exposes.length > 0) context.log.info({ exposes }, "tasks can reach this worker's credentials");
  const handlers = handlersOf(context, { config, accounts, env });
  const { tasks, whole, failed } = await loadTasks(config.tasks ?? [], { handlers, log: context.log, wait: delay });
  if (!config.allowInline) warnOfInline(tasks, context);
  const code = {
    app: config.app ?? (await appNameOf(config.tasks ?? [])),
    release: config.release,
    tasks: tasks.map(({ definition }) => definition),
    whole,
  };
  const deploymentId = await registerDeployment(context.db, deploymentOf(code));
  const name = config.workerName ?? workerNameOf(context.process.host);
  const worker = createWorker({
    ...context,
    ...config,
    process: {
      ...context.process,
      name,
      isNamed: config.workerName !== undefined,
      deploymentId,
      offers: offersUnder(name, offersOf(config, code)),
      exposes,
      secretRules: String(config.secrets),
    },
    clock: systemClock,
    handlers: handlers.lookup,
  });
  const { egress } = config;
  const sync = createCodeSync({ ...context, ...code, deploymentId, egress, worker: context.process.id });
  const verifier = createLedgerVerifier(context);
  return {
    heartbeat: worker.heartbeat,
    checks: [
      { name: 'redis', run: worker.checkQueue },
      ...(context.leaseRedis === context.redis ? [] : [{ name: 'redis-leases', run: worker.checkLeases }]),
      plannerAge(context.db),
      tasksCheck({ tasks, failed }),
    ],
    measures: {
      servers: {
        redis: worker.checkQueue,
        ...(context.leaseRedis === context.redis ? {} : { 'redis-leases': worker.checkLeases }),
      },
      places: () => ({ held: worker.active, most: config.concurrency }),
      leases: worker.leaseCounts,
    },
    async start() {
      handlers.start();
      await worker.start();
      await sync.start();
      verifier.start();
    },
    async stop() {
      await Promise.all([worker.stop(config.graceMs), sync.stop(), verifier.stop()]);
      await handlers.stop();
    },
    claim: handlers.claim,
  };
}

/** Nobody should wonder why a light task has a process. */
function warnOfInline(tasks: readonly DescribedTask[], { log }: AppContext): void {
  const inline = tasks.flatMap(({ definition: { name, handler } }) =>
    handlerFacts(handler).code?.isolation === 'inline' ? [name] : [],
  );
  if (inline.length > 0)
    log.info({ tasks: inline }, 'inline tasks run in processes of their own: ESCAPEMENT_ALLOW_INLINE is not set');
}

interface HandlersSettings {
  config: Config<'worker'>;
  accounts: Accounts;
  env: Environment;
}

function handlersOf(context: AppContext, { config, accounts, env }: HandlersSettings): Handlers {
  const secrets = secretsFrom(env, config.secrets);
  return createHandlers({
    env: taskEnvironment(env, config.taskEnv),
    accounts,
    shell: { allow: config.allowShell },
    allowInline: config.allowInline,
    secrets: (name, use) => {
      const bound = judgeSecret(config.secrets, name, use);
      if (bound) throw bound;
      return secrets.get(name);
    },
    secretValues: [...secrets.values()],
    egress: config.egress,
    killAfterMs: KILL_AFTER_MS,
    workerTimeoutMs: config.leaseMs * SELF_ABORT_SHARE,
    onEvent: context.emit,
  });
}

/** The needs of runs that this worker can meet. */
function offersOf({ allowShell }: Config<'worker'>, { app, tasks }: CodeToDeploy): string[] {
  return [...(allowShell ? [SHELL_NEED] : []), ...(tasks.length > 0 ? [codeNeed(app)] : [])];
}

/** Told, not judged: a worker can finish what it has though no scheduler plans. */
function plannerAge(db: Database): HealthCheck {
  return {
    name: 'planner',
    run: async () => {
      const ms = await sincePlannerPass(db);
      if (ms === null) return { ok: true, detail: 'no scheduler has planned yet' };
      return { ok: true, detail: `a scheduler completed a planner pass ${ms} ms ago`, value: ms };
    },
  };
}
