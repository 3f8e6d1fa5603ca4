import { type By, type Clock, EscapementError } from '@escapement/core';
import type { DefaultReceivers } from '@escapement/core/alerts';
import { type Database, inspectDatabase, listProcesses, pendingMigrations } from '@escapement/store';
import {
  alertingInForce,
  alertingWarnings,
  failingReceivers,
  type KnownToAlerts,
  kindsWithoutRule,
  knownToAlerts,
  withoutReceiver,
} from '../alerts/index.ts';
import { inspectFleetRedis } from '../ask-fleet.ts';
import { listPools } from '../pools.ts';
import { listUnserved } from '../unserved.ts';
import { examineSchema } from './examine-schema.ts';
import { type Finding, problem } from './finding.ts';
import { judgeClock, judgeDatabase, judgeFleet, judgeMigrations, judgeRedis, SPOKEN_OF_MS } from './judge.ts';
import { judgeAlerting, judgeReceivers } from './judge-alerting.ts';
import { judgeCredentials } from './judge-credentials.ts';
import { judgePools, judgeUnserved } from './judge-pools.ts';
import { examineCalendars } from './left-out.ts';
import { examineNextDates } from './next-dates.ts';

/** By what the fleet is judged: settings of whoever asks. */
export interface ExamineTerms {
  clock: Clock;
  /** By what a worker is taken for dead. Milliseconds. */
  deadMs: number;
  maxClockOffsetMs: number;
  /** Who is told of alerts that nobody is named for. */
  defaults: DefaultReceivers;
  /** What whoever asks is called: `this command`. */
  self: string;
}

/** What Postgres tells of itself and of the fleet: dangerous settings, what is missing, who is alive, what waits. Changes nothing. */
export async function examineDatabase(db: Database, terms: ExamineTerms): Promise<Finding[]> {
  const { clock, deadMs, maxClockOffsetMs, defaults, self } = terms;
  const missing = await pendingMigrations(db.pool);
  if (missing.length > 0) return [judgeMigrations(missing)];
  const sentMs = clock.now().getTime();
  const report = await inspectDatabase(db);
  const middleMs = (sentMs + clock.now().getTime()) / 2;
  const known = await knownToAlerts(db);
  const processes = await listProcesses(db, { withinMs: SPOKEN_OF_MS });
  const pools = await listPools(db, { deadMs });
  return [
    ...judgeDatabase(report),
    judgeClock('Postgres', report.now.getTime() - middleMs, maxClockOffsetMs),
    ...(await examineSchema(db)),
    ...judgePools(pools),
    ...judgeUnserved(await listUnserved(db, { deadMs }), { pools, now: report.now }),
    ...(await examineCalendars(db, report.now)),
    ...(await examineNextDates(db)),
    ...judgeReceivers(await withoutReceiver(db, known, { defaults, now: clock.now() })),
    ...judgeAlerting(await lookAtAlerting(db, known)),
    ...judgeFleet({
      processes,
      maxOffsetMs: maxClockOffsetMs,
      self: { id: self, tzVersion: process.versions.tz ?? 'unknown' },
      deadAfterMs: deadMs,
      mayHaveNoWorker: pools.length > 0 && pools.every(({ expectedWorkers }) => expectedWorkers === 0),
    }),
    ...judgeCredentials(processes.filter(({ heartbeatAgeMs }) => heartbeatAgeMs <= deadMs)),
  ];
}

async function lookAtAlerting(db: Database, known: KnownToAlerts) {
  const { definition } = await alertingInForce(db);
  return {
    mistakes: alertingWarnings(definition, known),
    failing: await failingReceivers(db, definition),
    missing: kindsWithoutRule(definition),
  };
}

/** What a scheduler tells of each Redis; that none does is a finding. Throws `not_allowed`. */
export async function examineRedisOfFleet(
  db: Database,
  {
    deadMs,
    maxClockOffsetMs,
    allowEviction,
  }: Pick<ExamineTerms, 'deadMs' | 'maxClockOffsetMs'> & { allowEviction: boolean },
  by: By,
): Promise<Finding[]> {
  try {
    const servers = await inspectFleetRedis(db, { deadMs, by });
    return servers.flatMap(({ subject, seen }) =>
      typeof seen === 'string'
        ? [problem(subject, seen, 'start it, or correct REDIS_URL of the schedulers')]
        : [
            ...judgeRedis(subject, seen, { allowEviction }),
            judgeClock(subject, seen.clockOffsetMs, maxClockOffsetMs, "a scheduler's"),
          ],
    );
  } catch (error) {
    if (!(error instanceof EscapementError) || error.code === 'not_allowed') throw error;
    const fix = error.fix ?? 'see the log of the schedulers';
    return [problem('Redis', `it could not be looked at: ${error.message}`, fix)];
  }
}
