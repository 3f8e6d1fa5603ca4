import { type Clock, formatSpan, groupedBy, MINUTE, queueBlockFix, queueBlockWords, SECOND } from '@escapement/core';
import { type AlertCondition, type AlertRule, type ConditionKind, KINDS_OF_FLEET } from '@escapement/core/alerts';
import {
  type AlertFinding,
  type Database,
  type FleetFigures,
  type FleetForAlerts,
  fleetFigures,
  fleetForAlerts,
  type PoolFigures,
  partitionedDaysAhead,
  settleAlerts,
  type Watch,
} from '@escapement/store';
import { ofFleet, ofPart, ofPool, type Said } from './finding.ts';

/** The verification of the ledger tells of gaps by facts, and who looks again after a while tells that nobody did. */
const NOTIFIED_ELSEWHERE: ReadonlySet<string> = new Set(['ledger-gap', 'not-watched']);

interface Fleet {
  now: Date;
  figures: FleetFigures;
  facts: FleetForAlerts;
  daysAhead: number;
  /** For how long Redis has been away from this scheduler; null: it answers. */
  redisAwayMs: number | null;
  /** For how long schedulers have looked without a break. What was silent in an outage, as all was, has so long to be heard again. */
  watchedMs: number;
}

export interface FleetJudgeOptions {
  db: Database;
  deadMs: number;
  redisAwayMs: () => number | null;
  clock: Clock;
}

/** What costs more to look at is looked at so often. */
const SLOW_MS = 2.5 * SECOND;
/** The size of the database, for which each of its files is looked at. */
const SIZE_MS = 12 * SECOND;
/** The days for which there are partitions, for which each partition is looked at. While there is one for tomorrow, a day passes before it is missing. */
const DAYS_MS = 1 * MINUTE;

/** Judges the fleet and its pools by the rules for them. */
export function createFleetJudge({ db, deadMs, redisAwayMs, clock }: FleetJudgeOptions) {
  let slow: { facts: FleetForAlerts; daysAhead: number; atMs: number; rules: readonly AlertRule[] } | undefined;
  let size = { bytes: 0, atMs: Number.NEGATIVE_INFINITY };
  let days = { ahead: 0, atMs: Number.NEGATIVE_INFINITY };

  async function daysAhead(atMs: number): Promise<number> {
    if (days.ahead < 1 || atMs - days.atMs >= DAYS_MS) days = { ahead: await partitionedDaysAhead(db), atMs };
    return days.ahead;
  }

  async function slowFacts(all: readonly AlertRule[]): Promise<NonNullable<typeof slow>> {
    const atMs = clock.monotonicMs();
    if (slow && slow.rules === all && atMs - slow.atMs < SLOW_MS) return slow;
    const asks = (kind: ConditionKind) => all.some(({ when }) => when.kind === kind);
    const asksSize = asks('database-size') && atMs - size.atMs >= SIZE_MS;
    const facts = await fleetForAlerts(db, { deadMs, size: asksSize });
    if (asksSize) size = { bytes: facts.databaseBytes, atMs };
    else facts.databaseBytes = size.bytes;
    const ahead = asks('partition-missing') ? await daysAhead(atMs) : Number.POSITIVE_INFINITY;
    slow = { facts, daysAhead: ahead, atMs, rules: all };
    return slow;
  }

  return async (
    all: readonly AlertRule[],
    { now, since }: Pick<Watch, 'now' | 'since'>,
    mayBeOpen: boolean,
  ): Promise<void> => {
    const rules = all.filter(({ when }) => KINDS_OF_FLEET.has(when.kind) && !NOTIFIED_ELSEWHERE.has(when.kind));
    if (rules.length === 0) return;
    const figures = await fleetFigures(db, { deadMs });
    const watchedMs = now.getTime() - since.getTime();
    const fleet = { now, figures, ...(await slowFacts(all)), redisAwayMs: redisAwayMs(), watchedMs };
    const findings = rules.filter(({ enabled }) => enabled).flatMap((rule) => findingsOf(rule, fleet));
    // Where nothing is wrong, and no alert is open, there is nothing to settle.
    if (mayBeOpen || findings.length > 0)
      await settleAlerts(
        db,
        rules.map(({ name }) => name),
        findings,
      );
  };
}

function findingsOf(rule: AlertRule, fleet: Fleet): AlertFinding[] {
  const { when, on } = rule;
  const items = itemsOf(when, fleet);
  if (items) return partsOf(rule, items);
  const said = sayOfFleet(when, fleet);
  if (said !== undefined) return said === null ? [] : [ofFleet(rule, said)];
  return fleet.figures.pools
    .filter(({ pool }) => on.pool === undefined || on.pool === pool)
    .flatMap((pool) => {
      const words = sayOfPool(when, pool);
      return words === null
        ? []
        : [ofPool(rule, pool.pool, { ...words, since: new Date(fleet.now.getTime() - pool.longestMs) })];
    });
}

/** Null: it is not so. Undefined: the condition is one of pools. */
function sayOfFleet(
  when: AlertCondition,
  { now, figures, facts, daysAhead, redisAwayMs, watchedMs }: Fleet,
): Said | null | undefined {
  const before = (ms: number) => new Date(now.getTime() - ms);
  switch (when.kind) {
    case 'planner-silent': {
      const ageMs = Math.min(figures.plannerPassAgeMs ?? Number.POSITIVE_INFINITY, watchedMs);
      if (ageMs <= when.overMs) return null;
      return {
        summary: 'nobody plans: no scheduler has completed a pass of its planner of late',
        since: before(ageMs),
      };
    }
    case 'planner-lag':
      return Math.min(figures.plannerLagMs, watchedMs) <= when.overMs
        ? null
        : {
            summary: `the planner is more than ${formatSpan(when.overMs)} behind`,
            since: before(figures.plannerLagMs),
          };
    case 'redis-away':
      return redisAwayMs === null
        ? null
        : { summary: 'Redis does not answer: no run starts', since: before(redisAwayMs) };
    case 'partition-missing':
      return daysAhead >= 1
        ? null
        : { summary: 'the partition of the ledger for the next days is missing', since: now };
    case 'database-size':
      return facts.databaseBytes <= when.overBytes
        ? null
        : { summary: `the database is larger than ${bytesWords(when.overBytes)}`, since: now };
    case 'api-away':
      return facts.pings === null || Math.min(facts.pings.ageMs, watchedMs) <= when.overMs
        ? null
        : {
            summary: 'no API takes pings: of jobs that run elsewhere nothing is known',
            since: new Date(facts.pings.heardAt),
            why: [
              `${facts.pings.monitors === 1 ? 'one monitor waits' : `${facts.pings.monitors} monitors wait`} for pings`,
            ],
          };
    default:
      return undefined;
  }
}

/** What one process, token, queue or kind of drift is told of by. */
interface SaidOfPart extends Said {
  /** `worker:ID`, `drift:KIND`, `clock:ROLE on HOST`, `token:NAME`, `queue:NAME`. */
  subject: string;
}

/** Each is an alert of its own, so that a second one is told while the first fires. Undefined: the condition is none of these. */
function itemsOf(when: AlertCondition, { facts, figures, now }: Fleet): SaidOfPart[] | undefined {
  switch (when.kind) {
    case 'worker-lost':
      return facts.lostWorkers.map(({ id, host, heartbeatAt }) => ({
        subject: `worker:${id}`,
        summary: `the worker ${id} has vanished without a word`,
        since: now,
        why: [`it ran on ${host}, and was last heard at ${heartbeatAt}`],
      }));
    case 'drift':
      return facts.drift
        .filter(({ kind, found }) => (when.kinds?.includes(kind) ?? true) && found >= (when.atLeast ?? 1))
        .map(({ kind, found, at }) => ({
          subject: `drift:${kind}`,
          summary: `queue and ledger differed (${kind}), and were made equal`,
          since: now,
          why: [`found ${found}, at ${at}`],
        }));
    case 'clock-off':
      return facts.clocks
        .filter(({ offsetMs }) => Math.abs(offsetMs) > when.overMs)
        .map(({ role, host }) => ({
          subject: `clock:${role} on ${host}`,
          summary: `the clock of the ${role} on ${host} is more than ${formatSpan(when.overMs)} off`,
          since: now,
        }));
    case 'token-expires':
      return facts.tokens
        .filter(({ inMs }) => inMs <= when.withinMs)
        .map(({ name, expiresAt }) => ({
          subject: `token:${name}`,
          summary: `the token of access ${name} ends soon`,
          since: now,
          why: [`it ends at ${expiresAt}`],
        }));
    case 'queue-blocked':
      return figures.queueBlocks.map((block) => ({
        subject: `queue:${block.queue}`,
        summary: `another program has changed the queue ${block.queue} in Redis`,
        since: new Date(block.since),
        why: [queueBlockWords(block), queueBlockFix(block)],
      }));
    default:
      return undefined;
  }
}

/** Two may be about the same: a queue that is blocked in two ways, processes of one role on a host. */
function partsOf(rule: AlertRule, items: readonly SaidOfPart[]): AlertFinding[] {
  return [...groupedBy(items, ({ subject }) => subject)].flatMap(([subject, [first, ...others]]) => {
    if (!first) return [];
    const { subject: _, why = [], ...said } = first;
    return [ofPart(rule, subject, { ...said, why: [...why, ...others.flatMap((other) => other.why ?? [])] })];
  });
}

/** Null: it is not so. */
function sayOfPool(when: AlertCondition, pool: PoolFigures): Pick<Said, 'summary'> | null {
  const { pool: name, workers, expectedWorkers, overdue, longestMs, paused, waiting, withoutCode } = pool;
  switch (when.kind) {
    case 'no-worker':
      if (workers === 0 && overdue + waiting > 0)
        return { summary: `the pool ${name} has runs that are due, and no worker` };
      return withoutCode === 0
        ? null
        : { summary: `the pool ${name} has runs that are due, and no worker has their code` };
    case 'workers-missing':
      return expectedWorkers === null || workers >= expectedWorkers
        ? null
        : { summary: `the pool ${name} has ${workers} of ${expectedWorkers} workers` };
    case 'overdue':
      return paused || longestMs <= when.overMs
        ? null
        : {
            summary: `runs of the pool ${name} have been due for more than ${formatSpan(when.overMs)}, and have not started`,
          };
    default:
      return null;
  }
}

function bytesWords(bytes: number): string {
  return bytes < 1e9 ? `${Math.round(bytes / 1e6)} MB` : `${Math.round(bytes / 1e8) / 10} GB`;
}
