import { systemClock } from '@escapement/core';
import { createHandlers } from '@escapement/handlers';
import { deploymentOf } from '@escapement/operations';
import { type App, type AppContext, createLedgerVerifier, orExit, runApp } from '@escapement/runtime';
import { type Config, type HealthCheck, loadConfig, processEnvironment, secretsFrom } from '@escapement/service';
import { type Database, registerDeployment, sincePlannerPass } from '@escapement/store';
import { createCodeSync, createWorker, SELF_ABORT_SHARE } from '@escapement/worker';
import manifest from '../package.json' with { type: 'json' };
import { appNameOf } from './app-name.ts';
import { loadTasks } from './load-tasks.ts';

/** A process gets SIGKILL so long after its SIGTERM: before the worker itself must be gone. */
const KILL_AFTER_MS = 2500;

const config = orExit(() => loadConfig(processEnvironment(), 'worker'));

await runApp({
  role: 'worker',
  version: manifest.version,
  config,
  pools: config.pools,
  graceMs: config.graceMs,
  build: (context) => build(context, config),
});

async function build(context: AppContext, config: Config<'worker'>): Promise<App> {
  const { tasks, whole } = await loadTasks(config.tasks ?? [], context.log);
  const code = {
    app: config.app ?? (await appNameOf(config.tasks ?? [])),
    release: config.release,
    tasks: tasks.map(({ task }) => task.toDefinition()),
    whole,
  };
  const deploymentId = await registerDeployment(context.db, deploymentOf(code));
  const secrets = secretsFrom(processEnvironment(), config.secrets);
  const handlers = createHandlers({
    tasks,
    shell: { allow: config.allowShell, workerEnv: processEnvironment() },
    secrets: (name) => secrets.get(name),
    secretValues: [...secrets.values()],
    killAfterMs: KILL_AFTER_MS,
    workerTimeoutMs: config.leaseMs * SELF_ABORT_SHARE,
    onEvent: context.emit,
  });
  const worker = createWorker({
    ...context,
    ...config,
    process: { ...context.process, deploymentId },
    clock: systemClock,
    handlers: handlers.lookup,
  });
  const sync = createCodeSync({ ...context, ...code, deploymentId, worker: context.process.id });
  const verifier = createLedgerVerifier(context);
  return {
    heartbeat: worker.heartbeat,
    checks: [
      { name: 'redis', run: worker.checkQueue },
      ...(context.leaseRedis === context.redis ? [] : [{ name: 'redis-leases', run: worker.checkLeases }]),
      plannerAge(context.db),
    ],
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
