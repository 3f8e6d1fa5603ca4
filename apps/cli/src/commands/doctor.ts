import type { AnswerOf } from '@escapement/api/calls';
import { examineFleet } from '@escapement/api/routes';
import { EscapementError } from '@escapement/core';
import type { DefaultReceivers } from '@escapement/core/alerts';
import {
  examineDatabase,
  examineProduction,
  examineWhichRedis,
  type Finding,
  judgeClock,
  judgeRedis,
  ok,
  problem,
  warning,
} from '@escapement/operations';
import type { RedisConnection } from '@escapement/queue/server';
import { plainTextServers, plainTextWords, redisServers } from '@escapement/service/config';
import { type Database, pendingMigrations } from '@escapement/store';
import type { Command } from 'commander';
import type { ApiServer } from '../access/api-server.ts';
import { type Context, configOf, connectDatabase, fleetOf, printState } from '../context.ts';
import { serverOf, withFleet } from '../fleet.ts';
import { EXIT, type ExitCode } from '../output/exit-code.ts';
import { printFindings } from '../output/findings.ts';
import { pageHere } from '../output/page-here.ts';
import { withRedis } from '../redis.ts';
import type { CliConfig } from '../servers.ts';
import { examineQueue } from './doctor-queue.ts';

export function addDoctor(program: Command, context: Context, end: (code: ExitCode) => void): void {
  program
    .command('doctor')
    .description('check servers, dangerous settings, clocks, schedulers and workers; exit code 1 on a problem')
    .option('--queue', 'instead, compare the queue in Redis with the ledger; takes some seconds, changes nothing')
    .option(
      '--production',
      'also what matters where people rely on the fleet: backups, spare processes, limits, roles, tokens',
    )
    .action(async ({ queue, production = false }: { queue?: true; production?: boolean }) =>
      end(await (queue ? examineQueue(context) : examine(context, production))),
    );
}

async function examine(context: Context, production: boolean): Promise<ExitCode> {
  const findings = (await findingsOf(context, production)).map(({ page, ...finding }) =>
    page === undefined ? finding : { ...finding, page: pageHere(page) },
  );
  const problems = findings.filter(({ level }) => level === 'problem').length;
  printFindings(context.output, { ok: problems === 0, findings }, findings);
  return problems === 0 ? EXIT.ok : EXIT.failed;
}

type Attempt = (subject: string, look: () => Promise<Finding[]>) => Promise<Finding[]>;

/** What cannot be looked at is a finding. */
const attempt: Attempt = async (subject, look) => {
  try {
    return await look();
  } catch (error) {
    if (!(error instanceof EscapementError)) throw error;
    return [problem(subject, error.message, error.fix ?? 'see its log')];
  }
};

async function findingsOf(context: Context, production: boolean): Promise<Finding[]> {
  const configured = await attempt('Configuration', async () => {
    serverOf(context);
    return [];
  });
  if (configured.length > 0) return configured;
  const server = serverOf(context);
  return server ? await findingsOfServer(server, context, production) : await findingsHere(context, production);
}

/** Of a server and its scheduler, by their settings. */
async function findingsOfServer({ url, from }: ApiServer, context: Context, production: boolean): Promise<Finding[]> {
  const query = { production: production ? 'true' : 'false' } as const;
  return [
    ok('Configuration', `the API at ${url}, from ${from}`),
    ...(await attempt('API', () =>
      withFleet(context, async (fleet) => (await fleet.call(examineFleet, { query })).findings.map(findingOf)),
    )),
  ];
}

function findingOf({ fix, page, ...finding }: AnswerOf<typeof examineFleet>['findings'][number]): Finding {
  return { ...finding, ...(fix === undefined ? {} : { fix }), ...(page === undefined ? {} : { page }) };
}

async function findingsHere(context: Context, production: boolean): Promise<Finding[]> {
  const config = configOf(context);
  return [
    ok('Configuration', `servers from ${config.from}; every setting: escapement config`),
    ...(await attempt('Postgres', () => connectDatabase(context, (db) => lookAtDatabase(db, config, context)))),
    ...(await lookAtServers(config, context)),
    ...plainTextServers(config).map((each) => warning(each.server, plainTextWords(each), each.fix)),
    ...(production
      ? await attempt('Production', () => connectDatabase(context, (db) => examineProduction(db, fleetOf(context))))
      : []),
  ];
}

async function lookAtDatabase(db: Database, config: CliConfig, { clock, output }: Context): Promise<Finding[]> {
  if ((await pendingMigrations(db.pool)).length === 0) await printState(db, output);
  const { leaseMs: deadMs, maxClockOffsetMs } = config;
  return await examineDatabase(db, {
    clock,
    deadMs,
    maxClockOffsetMs,
    defaults: defaultsOf(config),
    self: 'this command',
  });
}

async function lookAtServers(config: CliConfig, context: Context): Promise<Finding[]> {
  const { redisUrl } = config;
  if (redisUrl === undefined)
    return [problem('Redis', 'no Redis is named: REDIS_URL is not set', 'set REDIS_URL=redis://host:6379')];
  const { queue, leases } = redisServers({ ...config, redisUrl });
  const found = await attempt('Redis', () =>
    withRedis(queue, config.namespace, async (redis) => [
      ...(await lookAtRedis('Redis', redis, config)),
      ...(await lookWhichRedis(redis, context)),
    ]),
  );
  if (leases === queue) return found;
  const forLeases = 'Redis for leases';
  const look = (redis: RedisConnection) => lookAtRedis(forLeases, redis, config);
  return [...found, ...(await attempt(forLeases, () => withRedis(leases, config.namespace, look)))];
}

async function lookAtRedis(subject: string, redis: RedisConnection, config: CliConfig): Promise<Finding[]> {
  const { inspectRedis } = await import('@escapement/queue/server');
  const report = await inspectRedis(redis);
  return [...judgeRedis(subject, report, config), judgeClock(subject, report.clockOffsetMs, config.maxClockOffsetMs)];
}

/** Whether it is the Redis of the fleet. That Postgres is away is a finding already. */
async function lookWhichRedis(redis: RedisConnection, context: Context): Promise<Finding[]> {
  const { readIdentity } = await import('@escapement/queue/server');
  const here = await readIdentity(redis);
  return await connectDatabase(context, (db) => examineWhichRedis(db, here)).catch(() => []);
}

function defaultsOf({ smtpUrl, notifyEmail, notifyWebhook }: CliConfig): DefaultReceivers {
  return { email: smtpUrl ? (notifyEmail ?? []) : [], webhook: notifyWebhook ?? [] };
}
