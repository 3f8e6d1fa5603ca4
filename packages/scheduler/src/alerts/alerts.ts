import { type Clock, formatSpan, SECOND } from '@escapement/core';
import {
  type Alerting,
  type AlertRule,
  type DefaultReceivers,
  KINDS_OF_ENDS,
  KINDS_OF_OPEN_RUNS,
} from '@escapement/core/alerts';
import { createLoop, type Loop } from '@escapement/service';
import {
  type Database,
  holdClusterLock,
  isConnectionError,
  lastLook,
  noteLook,
  openAlerts,
  openAlertsOf,
  resolveAlerts,
  resolveOrphans,
  type Watch,
} from '@escapement/store';
import { NO_PROBES, type Probes } from '../probes.ts';
import { ofFleet } from './finding.ts';
import { judgeFacts } from './judge-ends.ts';
import { createEndsAgain, endUnmeant } from './judge-ends-again.ts';
import { createFleetJudge } from './judge-fleet.ts';
import { createInTime } from './judge-in-time.ts';
import { judgeMonitors } from './judge-monitors.ts';
import { judgeOpenRuns } from './judge-open-runs.ts';
import { createSuccesses } from './judge-successes.ts';
import { judgeUnplannable } from './judge-tasks.ts';
import { NO_SUCCESS } from './no-success.ts';
import { NOT_STARTED_BY } from './not-started-by.ts';
import { createNotifier } from './notifier.ts';
import { createRulesInForce } from './rules-in-force.ts';

/** Whatever happens is judged so soon: with the moment that a message waits for others, in less than 5 s. */
const EVERY_MS = 1500;
const HOLD_MS = 15 * SECOND;
/** What has ended of late is found by a statement that is planned anew each time; tasks that cannot be planned are few. */
const SUCCESSES_MS = 2.5 * SECOND;
const PLANS_MS = 2.5 * SECOND;
/** How often it is noted that somebody looks. */
const WATCH_MS = 10 * SECOND;
/** A probe may find no open runs: the watch still reads its alerts this often, to end those of runs that are over. */
const BLIND_MS = 10 * SECOND;
/** Rules and tasks go now and then: what was told of them ends so soon after. */
const ORPHANS_MS = 10 * SECOND;

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
  probes?: Pick<Probes, 'see'>;
  onError: (error: unknown) => void;
}

/** What a look knows before its steps. */
interface Pass {
  alerting: Alerting;
  rules: Alerting['rules'];
  watch: Watch;
  /** Whether an alert may be open. */
  isOpen: boolean;
}

interface Step {
  isDue: (pass: Pass) => Promise<boolean>;
  /** True: there is more to do at once. */
  take: (pass: Pass) => Promise<unknown>;
}

const always = async () => true;
/** None of these: there is no open run that a rule could mean. */
const TRACES_OF_OPEN_RUNS = ['alerts', 'live', 'untold', 'unrepeated', 'waiting', 'for_person'] as const;
const isOfOpenRuns = ({ when }: AlertRule) => KINDS_OF_OPEN_RUNS.has(when.kind);

/** Opens and ends alerts as their rules say, and hands them to the messages of those who are told. One scheduler does it, the others stand by. */
export function createAlerts(options: AlertsOptions): Loop {
  const { db, clock, probes = NO_PROBES } = options;
  const rulesInForce = createRulesInForce(options);
  const again = createEndsAgain(db);
  const inTime = [NO_SUCCESS, NOT_STARTED_BY].map((condition) => createInTime(db, condition));
  const successes = createSuccesses(db);
  const notify = createNotifier(options);
  const successesAreDue = every(SUCCESSES_MS, clock);
  const openIsDue = every(BLIND_MS, clock);
  const plansAreDue = every(PLANS_MS, clock);
  const orphansAreDue = every(ORPHANS_MS, clock);
  const watchIsDue = every(WATCH_MS, clock);
  const fleet = createFleetJudge(options);
  const turn = createTurn(options);
  let seen: { watch: Watch; atMs: number } | undefined;

  const steps: readonly Step[] = [
    { isDue: async ({ isOpen }) => isOpen && orphansAreDue(), take: ({ rules }) => endOrphans(db, rules) },
    {
      isDue: () => probes.see('facts'),
      // A fact is gone once it is judged: a rule that was saved before it counts, however short before.
      take: async () => judgeFacts(db, (await rulesInForce('now')).rules),
    },
    { isDue: async ({ isOpen }) => isOpen, take: ({ rules }) => again(rules) },
    {
      isDue: async () => (await probes.see(...TRACES_OF_OPEN_RUNS)) || openIsDue(),
      take: ({ rules }) => judgeOpenRuns(db, rules.filter(isOfOpenRuns)),
    },
    ...inTime.map((judge): Step => ({ isDue: always, take: ({ rules, watch }) => judge(rules, watch.now) })),
    {
      isDue: async () => successes.isBehind() || successesAreDue(),
      take: ({ rules, watch }) => successes.judge(rules, watch),
    },
    {
      isDue: async ({ isOpen }) => isOpen || (await probes.see('monitors')),
      take: ({ rules, watch }) => judgeMonitors(db, rules, watch.now),
    },
    { isDue: async () => plansAreDue(), take: ({ rules, watch }) => judgeUnplannable(db, rules, watch.now) },
    { isDue: always, take: ({ rules, watch, isOpen }) => fleet(rules, watch, isOpen) },
    { isDue: always, take: ({ alerting, watch }) => notify(alerting, watch.now) },
  ];

  async function runOnce(): Promise<number> {
    if (!(await turn())) return EVERY_MS;
    const alerting = await rulesInForce();
    const watch = await look(alerting);
    const more = await takeAll(steps, {
      alerting,
      rules: alerting.rules,
      watch,
      isOpen: await probes.see('alerts'),
    });
    return more ? 0 : EVERY_MS;
  }

  /** Notes now and then that somebody looks; between that its own clock says what the time of Postgres is. */
  async function look({ rules }: Alerting): Promise<Watch> {
    if (watchIsDue() || !seen) {
      seen = undefined;
      // Before it is noted that somebody looks: where that fails, or this process ends, the next look tells of it.
      await notifyOfSilence(options, rules);
      seen = { watch: await noteLook(db, successes.until()), atMs: clock.monotonicMs() };
    }
    const { watch, atMs } = seen;
    return { ...watch, now: new Date(watch.now.getTime() + clock.monotonicMs() - atMs) };
  }

  return createLoop({ name: 'alerts', runOnce, onError: options.onError });
}

/** Postgres or all schedulers were away: nobody could be told then. It is over when it is known. */
async function notifyOfSilence(
  { db, probes = NO_PROBES }: Pick<AlertsOptions, 'db' | 'probes'>,
  rules: Alerting['rules'],
): Promise<void> {
  const { now, lookedAt } = await lastLook(db);
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
  if (findings.length > 0) return await openAlerts(db, findings);
  if (!(await probes.see('alerts'))) return;
  const open = await openAlertsOf(db, { kinds: ['not-watched'], after: 0n, limit: 100 });
  await resolveAlerts(
    db,
    open.map(({ id }) => id),
  );
}

/** A step that fails keeps the others neither from judging nor from telling; where Postgres is away there is no other. True: there is more to do. */
async function takeAll(steps: readonly Step[], pass: Pass): Promise<boolean> {
  const errors: unknown[] = [];
  let more = false;
  for (const { isDue, take } of steps) {
    try {
      if ((await isDue(pass)) && (await take(pass)) === true) more = true;
    } catch (error) {
      if (isConnectionError(error)) throw error;
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
  return more;
}

/** What was told of a rule or a task that is not there any more, or of a rule that is about something else or about other tasks now. */
async function endOrphans(db: Database, rules: Alerting['rules']): Promise<void> {
  const inForce = rules.filter(({ enabled }) => enabled).map(({ name, when: { kind } }) => ({ name, kind }));
  await resolveOrphans(db, { rules: inForce, kinds: [...KINDS_OF_ENDS] });
  await endUnmeant(db, rules);
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
