import {
  type AlertCondition,
  type AlertRule,
  type Clock,
  type ConditionKind,
  formatSpan,
  KINDS_OF_FLEET,
  queueBlockFix,
  queueBlockWords,
  SECOND,
} from '@escapement/core';
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
import { ofFleet, ofPool, type Said } from './finding.ts';

/** The verification of the ledger tells of gaps by facts, and who looks again after a while tells that nobody did. */
const TOLD_OTHERWISE: ReadonlySet<string> = new Set(['ledger-gap', 'not-watched']);

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

/** Judges the fleet and its pools by the rules for them. */
export function createFleetJudge({ db, deadMs, redisAwayMs, clock }: FleetJudgeOptions) {
  let slow: { facts: FleetForAlerts; daysAhead: number; atMs: number; rules: readonly AlertRule[] } | undefined;
  let size = { bytes: 0, atMs: Number.NEGATIVE_INFINITY };

  async function slowFacts(all: readonly AlertRule[]): Promise<NonNullable<typeof slow>> {
    const atMs = clock.monotonicMs();
    if (slow && slow.rules === all && atMs - slow.atMs < SLOW_MS) return slow;
    const asks = (kind: ConditionKind) => all.some(({ when }) => when.kind === kind);
    const asksSize = asks('database-size') && atMs - size.atMs >= SIZE_MS;
    const facts = await fleetForAlerts(db, { deadMs, size: asksSize });
    if (asksSize) size = { bytes: facts.databaseBytes, atMs };
    else facts.databaseBytes = size.bytes;
    const daysAhead = asks('partition-missing') ? await partitionedDaysAhead(db) : Number.POSITIVE_INFINITY;
    slow = { facts, daysAhead, atMs, rules: all };
    return slow;
  }

  return async (
    all: readonly AlertRule[],
    { now, since }: Pick<Watch, 'now' | 'since'>,
    mayBeOpen: boolean,
  ): Promise<void> => {
    const rules = all.filter(({ when }) => KINDS_OF_FLEET.has(when.kind) && !TOLD_OTHERWISE.has(when.kind));
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
    case 'queue-blocked': {
      const [first] = figures.queueBlocks;
      if (!first) return null;
      const why = figures.queueBlocks.flatMap((block) => [queueBlockWords(block), queueBlockFix(block)]);
      return {
        summary: `another program has changed the queue ${first.queue} in Redis`,
        since: new Date(first.since),
        why,
      };
    }
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
              `${facts.pings.heartbeats === 1 ? 'one heartbeat waits' : `${facts.pings.heartbeats} heartbeats wait`} for pings`,
            ],
          };
    default:
      return sayOfLists(when, { facts, now });
  }
}

function sayOfLists(when: AlertCondition, { facts, now }: Pick<Fleet, 'facts' | 'now'>): Said | null | undefined {
  switch (when.kind) {
    case 'worker-lost':
      return listed(facts.lostWorkers, now, {
        summary: (count) => `${count === 1 ? 'a worker has' : `${count} workers have`} vanished without a word`,
        why: ({ id, host, heartbeatAt }) => `${id} on ${host}, last heard at ${heartbeatAt}`,
      });
    case 'drift': {
      const of = facts.drift.filter(
        ({ kind, found }) => (when.kinds?.includes(kind) ?? true) && found >= (when.atLeast ?? 1),
      );
      return listed(of, now, {
        summary: () => 'queue and ledger differed, and were made equal',
        why: ({ kind, found, at }) => `${kind}: ${found}, at ${at}`,
      });
    }
    case 'clock-off':
      return listed(
        facts.clocks.filter(({ offsetMs }) => Math.abs(offsetMs) > when.overMs),
        now,
        {
          summary: (count) =>
            `${count === 1 ? 'the clock of a process is' : `the clocks of ${count} processes are`} more than ${formatSpan(when.overMs)} off`,
          why: ({ role, host }) => `${role} on ${host}`,
        },
      );
    case 'token-expires':
      return listed(
        facts.tokens.filter(({ inMs }) => inMs <= when.withinMs),
        now,
        {
          summary: (count) => `${count === 1 ? 'a token of access ends' : `${count} tokens of access end`} soon`,
          why: ({ name, expiresAt }) => `${name} ends at ${expiresAt}`,
        },
      );
    default:
      return undefined;
  }
}

function listed<Item>(
  items: readonly Item[],
  since: Date,
  words: { summary: (count: number) => string; why: (item: Item) => string },
): Said | null {
  return items.length === 0 ? null : { summary: words.summary(items.length), since, why: items.map(words.why) };
}

/** Null: it is not so. */
function sayOfPool(when: AlertCondition, pool: PoolFigures): Pick<Said, 'summary'> | null {
  const { pool: name, workers, expectedWorkers, overdue, longestMs, paused, waiting } = pool;
  switch (when.kind) {
    case 'no-worker':
      return workers > 0 || overdue + waiting === 0
        ? null
        : { summary: `the pool ${name} has runs that are due, and no worker` };
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
