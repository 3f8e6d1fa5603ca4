import {
  type Alerting,
  type Clock,
  type ConditionKind,
  type DefaultReceivers,
  formatSpan,
  KINDS_OF_OPEN_RUNS,
  SECOND,
} from '@escapement/core';
import { createLoop, type Loop } from '@escapement/service';
import {
  type Database,
  holdClusterLock,
  noteLook,
  openAlerts,
  openAlertsOf,
  resolveAlerts,
  type Watch,
} from '@escapement/store';
import { type Glances, NO_GLANCES } from '../glances.ts';
import { ofFleet } from './finding.ts';
import { createEndsAgain, judgeFacts } from './judge-ends.ts';
import { createFleetJudge } from './judge-fleet.ts';
import { judgeOpenRuns } from './judge-open-runs.ts';
import { createSuccesses } from './judge-successes.ts';
import { createNoSuccess, judgeUnplannable } from './judge-tasks.ts';
import { createRulesInForce } from './rules-in-force.ts';
import { createTeller } from './tell.ts';

/** Whatever happens is judged so soon: with the moment that a message waits for others, in less than 5 s. */
const EVERY_MS = 1500;
const HOLD_MS = 15 * SECOND;
/** The fleet as a whole, which costs more to look at. */
const FLEET_MS = 4 * SECOND;
/** What has ended of late is found by a statement that is planned anew each time. */
const SUCCESSES_MS = 2.5 * SECOND;
/** How often it is noted that somebody looks. */
const WATCH_MS = 10 * SECOND;
/** Open runs of which nothing is seen at a glance are looked at all the same, so often: to end what was told of them. */
const BLIND_MS = 10 * SECOND;

export interface AlertsOptions {
  db: Database;
  /** Unique to one life of this process. */
  holder: string;
  defaults: DefaultReceivers;
  /** A process that has not sent a heartbeat for so long is dead. Milliseconds. */
  deadMs: number;
  /** For how long Redis has been away from this process; null: it answers. Milliseconds. */
  redisAwayMs: () => number | null;
  clock: Clock;
  /** Asked before each look. Default: it looks each time. */
  glances?: Pick<Glances, 'see'>;
  onError: (error: unknown) => void;
}

/** Opens and ends alerts as their rules say, and hands them to the messages of those who are told. One scheduler does it, the others stand by. */
export function createAlerts(options: AlertsOptions): Loop {
  const { db, clock, glances = NO_GLANCES } = options;
  const rulesInForce = createRulesInForce(options);
  const again = createEndsAgain(db);
  const noSuccess = createNoSuccess(db);
  const successes = createSuccesses(db);
  const tell = createTeller(options);
  const fleetIsDue = every(FLEET_MS, clock);
  const successesAreDue = every(SUCCESSES_MS, clock);
  const openIsDue = every(BLIND_MS, clock);
  const plansAreDue = every(BLIND_MS, clock);
  const watchIsDue = every(WATCH_MS, clock);
  const fleet = createFleetJudge(options);
  const turn = createTurn(options);
  let seen: { watch: Watch; atMs: number } | undefined;

  async function runOnce(): Promise<number> {
    if (!(await turn())) return EVERY_MS;
    const alerting = await rulesInForce();
    const { rules } = alerting;
    const watch = await look(alerting);
    let more = false;
    if (await glances.see('facts')) more = await judgeFacts(db, rules);
    if (await glances.see('alerts')) await again(rules);
    if ((await glances.see('alerts', 'live', 'untold', 'unrepeated', 'waiting', 'for_person')) || openIsDue())
      await judgeOpenRuns(
        db,
        rules.filter(({ when }) => KINDS_OF_OPEN_RUNS.has(when.kind)),
      );
    await noSuccess(rules, watch.now);
    if (successesAreDue()) await successes(rules, watch);
    if (plansAreDue()) await judgeUnplannable(db, rules, watch.now);
    if (fleetIsDue()) await fleet(rules, watch.now, await glances.see('alerts'));
    await tell(alerting, watch.now);
    return more ? 0 : EVERY_MS;
  }

  /** Notes now and then that somebody looks; between that its own clock says what the time of Postgres is. */
  async function look(alerting: Alerting): Promise<Watch> {
    if (watchIsDue() || !seen) {
      seen = { watch: await noteLook(db, null), atMs: clock.monotonicMs() };
      await tellOfSilence(alerting, seen.watch);
    }
    const { watch, atMs } = seen;
    return { ...watch, now: new Date(watch.now.getTime() + clock.monotonicMs() - atMs) };
  }

  /** Postgres or all schedulers were away: nobody could be told then. It is over when it is known. */
  async function tellOfSilence({ rules }: Alerting, { now, lookedAt }: Watch): Promise<void> {
    if (lookedAt === null) return;
    const awayMs = now.getTime() - lookedAt.getTime();
    const findings = rules.flatMap((rule) => {
      const { when, enabled } = rule;
      if (when.kind !== 'not-watched' || !enabled || awayMs <= when.overMs) return [];
      const summary = `nobody looked after the fleet for ${formatSpan(awayMs)}: Postgres or all schedulers were away`;
      return [
        ofFleet(rule, { summary, since: lookedAt, why: [`from ${lookedAt.toISOString()} to ${now.toISOString()}`] }),
      ];
    });
    if (findings.length > 0) await openAlerts(db, findings, []);
    else if (await glances.see('alerts')) await end('not-watched');
  }

  async function end(kind: ConditionKind): Promise<void> {
    const open = await openAlertsOf(db, { kinds: [kind], after: 0n, limit: 100 });
    if (open.length > 0)
      await resolveAlerts(
        db,
        open.map(({ id }) => ({ id, why: null })),
      );
  }

  return createLoop({ name: 'alerts', runOnce, onError: options.onError });
}

/** Whether this scheduler is the one that looks. Asked again only when it may have changed; should two look at once, nothing is done twice. */
function createTurn({ db, holder, clock }: Pick<AlertsOptions, 'db' | 'holder' | 'clock'>): () => Promise<boolean> {
  let mineUntilMs = Number.NEGATIVE_INFINITY;
  return async () => {
    if (clock.monotonicMs() < mineUntilMs) return true;
    if (!(await holdClusterLock(db, { name: 'alerts', holder, everyMs: EVERY_MS, holdMs: HOLD_MS }))) return false;
    mineUntilMs = clock.monotonicMs() + HOLD_MS / 3;
    return true;
  };
}

/** True once in so long. */
function every(ms: number, clock: Clock): () => boolean {
  let lastMs = Number.NEGATIVE_INFINITY;
  return () => {
    const nowMs = clock.monotonicMs();
    if (nowMs - lastMs < ms) return false;
    lastMs = nowMs;
    return true;
  };
}
