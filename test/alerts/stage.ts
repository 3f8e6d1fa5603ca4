import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SECOND, type TaskInput } from '@escapement/core';
import type { AlertingInput, AlertNote } from '@escapement/core/alerts';
import { triggerTask } from '@escapement/operations';
import { type Database, openDatabase } from '@escapement/store';
import { afterFile, by, eventually, type NodeProcess, spawnNode, testDatabase, testRedis } from '@escapement/testkit';
import { expect } from 'vitest';
import { type Ran, runBin } from '../../apps/cli/test/cli.ts';

const START_MS = 45 * SECOND;
/** So soon after the fact an alert is at the receiver, and so soon after it is over its end. */
const NOTIFIED_MS = 5 * SECOND;

/** An alert, as a webhook has it. */
export type ReceivedAlert = Pick<AlertNote, 'state' | 'rule' | 'summary' | 'labels' | 'why' | 'logTail'>;

export type ProgramName = 'scheduler' | 'worker' | 'api';

export interface AlertStage {
  db: Database;
  /** Of Postgres and Redis. */
  url: string;
  redis: Awaited<ReturnType<typeof testRedis>>;
  /** All that the receiver has taken. */
  received: ReceivedAlert[];
  /** What the receiver answers; while it is 503, nobody is told. */
  answers(status: number): void;
  notified(rule: string, state: string): ReceivedAlert[];
  /** Waits until the receiver has heard of it: `thresholdMs` after now, and the time in which it is to be told. */
  receives(rule: string, state: 'firing' | 'resolved', thresholdMs?: number): Promise<ReceivedAlert>;
  /** A program of the fleet, once it runs. */
  start(program: ProgramName, env?: Record<string, string>): Promise<NodeProcess>;
  cli(args: string[], input?: string): Promise<Ran>;
  save(...tasks: TaskInput[]): Promise<void>;
  trigger(task: string): Promise<string>;
  /** Rules, of which one receiver is told at once, each by itself. */
  rules(rules: NonNullable<AlertingInput['rules']>): Promise<void>;
}

/** The servers of a fleet of real processes, its users, and a receiver of its alerts. */
export async function alertStage(): Promise<AlertStage> {
  const received: ReceivedAlert[] = [];
  const { hook, answers } = await startReceiver((alerts) => received.push(...alerts));
  const { url } = await testDatabase();
  const redis = await testRedis();
  const db = openDatabase({ url, applicationName: 'test' });
  afterFile(() => db.close());
  const env = {
    DATABASE_URL: url,
    REDIS_URL: redis.url,
    ESCAPEMENT_HEALTH_PORT: '0',
    ESCAPEMENT_API_PORT: '0',
    ESCAPEMENT_ALLOW_SHELL: 'true',
    ESCAPEMENT_EGRESS: 'loopback',
    ESCAPEMENT_RECEIVER_HOOK: hook,
  };
  const cli = async (args: string[], input?: string) =>
    await runBin(args, { env, ...(input === undefined ? {} : { input }) });
  const notified = (rule: string, state: string) =>
    received.filter((alert) => alert.rule === rule && alert.state === state);

  return {
    ...{ db, url, redis, received, answers, notified, cli },
    async receives(rule, state, thresholdMs = 0) {
      return await eventually(async () => {
        const { rows } = await db.pool.query('SELECT rule, state, summary, tell, muted FROM alert');
        const [first] = notified(rule, state);
        if (!first)
          expect({ received: received.map((each) => `${each.rule} ${each.state}`), rows }).toBe(`${rule} ${state}`);
        return first as ReceivedAlert;
      }, thresholdMs + NOTIFIED_MS);
    },
    async start(program, more = {}) {
      const started = spawnNode(new URL(`../../apps/${program}/src/main.ts`, import.meta.url), {
        env: { ...env, ...more },
      });
      await started.waitForLine(program === 'api' ? 'the API listens' : `${program} is running`, START_MS);
      return started;
    },
    async save(...tasks) {
      expect(await cli(['apply', '-f', '-'], JSON.stringify(tasks))).toMatchObject({ code: 0 });
    },
    trigger: (task) => triggerTask(db, task, { by: by('test') }),
    async rules(rules) {
      const routes = [
        { receivers: ['hook'], groupBy: ['rule', 'task', 'pool', 'monitor'], groupWaitMs: 0, groupIntervalMs: 0 },
      ];
      const document = { rules, receivers: { hook: { type: 'webhook', url: { secret: 'HOOK' } } }, routes };
      expect(await cli(['alerts', 'set', '-'], JSON.stringify(document))).toMatchObject({ code: 0 });
    },
  };
}

export function shell(command: string): Pick<TaskInput, 'schedule' | 'handler'> {
  return { schedule: { kind: 'manual' }, handler: { type: 'shell', command } };
}

async function startReceiver(take: (alerts: ReceivedAlert[]) => void) {
  let answer = 200;
  const receiver = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    response.writeHead(answer).end();
    if (answer === 200) take(JSON.parse(body).alerts);
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  afterFile(() => void receiver.close());
  return {
    hook: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`,
    answers(status: number): void {
      answer = status;
    },
  };
}
