import { SECOND, systemClock } from '@escapement/core';
import { type App, type AppContext, createLedgerVerifier, orExit, type ProcessHost, runApp } from '@escapement/runtime';
import {
  createMessageSender,
  createScheduler,
  type SchedulerOptions,
  triggerReceiverTask,
} from '@escapement/scheduler';
import {
  ageCheck,
  type Config,
  createDeadman,
  type Environment,
  type HealthCheck,
  loadConfig,
  receiverSecret,
  type Service,
} from '@escapement/service';
import { fleetFigures } from '@escapement/store';
import manifest from '../package.json' with { type: 'json' };

/** A planner that has not completed a pass for so long does not work. */
const PLANNER_MAX_AGE_MS = 15 * SECOND;
/** A scheduler holds no runs: it needs no grace beyond its own passes. */
const STOP_MS = 5 * SECOND;

/** Runs a scheduler until it is told to end. `host`: the process, where it shares one. */
export async function runScheduler(env: Environment, host?: ProcessHost): Promise<void> {
  const config = orExit(() => loadConfig(env, 'scheduler'));
  await runApp({
    role: 'scheduler',
    version: manifest.version,
    config,
    env,
    host,
    pools: [],
    graceMs: STOP_MS,
    build: (context) => build(context, config, env),
  });
}

function build(context: AppContext, config: Config<'scheduler'>, env: Environment): App {
  const alerting = alertingOf(context, config, env);
  const scheduler = createScheduler({ ...context, ...config, alerting, clock: systemClock });
  const planner = plannerCheck(scheduler.lastPlannedMs);
  const services: Service[] = [createLedgerVerifier(context)];
  if (config.deadmanUrl)
    services.push(
      createDeadman({
        url: config.deadmanUrl,
        intervalMs: config.deadmanIntervalMs,
        log: context.log,
        healthy: async () => (await planner.run()).ok,
      }),
    );
  return {
    heartbeat: scheduler.heartbeat,
    checks: [planner, { name: 'redis', run: scheduler.checkQueue }],
    measures: {
      servers: {
        redis: scheduler.checkQueue,
        ...(context.leaseRedis === context.redis ? {} : { 'redis-leases': scheduler.checkLeases }),
      },
      fleet: () => fleetFigures(context.db, { deadMs: config.leaseMs }),
    },
    async start() {
      await scheduler.start();
      for (const service of services) service.start();
    },
    async stop() {
      await Promise.all([scheduler.stop(), ...services.map((service) => service.stop())]);
    },
  };
}

function plannerCheck(lastMs: () => number | undefined): HealthCheck {
  return ageCheck({
    name: 'planner',
    what: 'complete planner pass',
    lastMs,
    maxAgeMs: PLANNER_MAX_AGE_MS,
    clock: systemClock,
  });
}

/** Who is told of alerts that nobody is named for, and how messages leave. */
function alertingOf(
  { db, log }: AppContext,
  config: Config<'scheduler'>,
  env: Environment,
): SchedulerOptions['alerting'] {
  const { smtpUrl, mailFrom: from, egress, webhookSecrets, notifyEmail, notifyWebhook, traceUrl, apiUrl } = config;
  const sender = createMessageSender({
    ...{ smtpUrl, from, egress, webhookSecrets, log },
    secretOf: (name) => receiverSecret(env, name),
    triggerTask: (task, payload) => triggerReceiverTask(db, task, payload),
  });
  return {
    defaults: { email: notifyEmail ?? [], webhook: notifyWebhook ?? [] },
    send: sender.send,
    render: sender.render,
    ...{ traceUrl, apiUrl },
  };
}
