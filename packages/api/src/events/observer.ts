import { SECOND } from '@escapement/core';
import {
  actionsSince,
  changeDigests,
  type Database,
  type Digests,
  dropChanges,
  holdChanges,
  type RunStatus,
  releaseChanges,
  runsEndedSince,
  runsUnderWay,
  writeChanges,
} from '@escapement/store';
import type { Changes, RunChange } from './changes.ts';

/** An end is written with its time, and seen once it is committed: so long after that at most. */
const COMMITTED_WITHIN_MS = 5 * SECOND;
/** Most are committed sooner: only some looks go back further, as a busy fleet has thousands of ends in that time. */
const SOON_COMMITTED_MS = 1.5 * SECOND;
/** Who looks and is not heard for so long is taken for dead. */
const HOLD_MS = 2 * SECOND;
/** If nobody has looked for so long, all who watch read anew. */
const MOST_MISSED_MS = 60 * SECOND;
/** Runs, and acts, of one look; of more it is only told that something was missed. */
const MOST = 5000;
/** Every so manieth look goes far back, and looks at alerts, processes and what hosts tell of cron. */
const WIDE_EVERY = 4;
/** What has changed is kept so long, for clients that come back. */
export const KEPT_MS = 300 * SECOND;
const DROP_EVERY = 200;
/** Hosts of a large fleet tell of cron all the time. To compare that with what was planned takes 1.3 s of a processor for 400 hosts, two lines each, an hour apart, over a week. */
const CRONTABS_EVERY_MS = 15 * SECOND;

/** Looks for what has changed, where no other process does. */
export interface Observer {
  /** Looks once. False: another process looks. */
  look(): Promise<boolean>;
  /** Lets another process look. */
  stop(): Promise<void>;
}

/** What was told already, so that nothing is told twice. */
interface Reported {
  /** How each run under way stood. */
  underWay: ReadonlyMap<string, string>;
  /** Runs that have ended in the last seconds, with the time of their end; and acts. */
  ended: ReadonlyMap<string, Date>;
  actions: ReadonlySet<number>;
  digests: Digests | null;
  crontabsAt: Date | null;
}

const NOTHING: Reported = {
  underWay: new Map(),
  ended: new Map(),
  actions: new Set(),
  digests: null,
  crontabsAt: null,
};

/**
 * One process of a namespace looks at the ledger for all who watch, and writes what it finds as a row. So begins and ends of runs cost
 * nothing more, and clients may go on at any other process. Each look reads the runs under way, those that have ended in the last
 * seconds, and what people did.
 */
export function createObserver(db: Database, { holder, deadMs }: { holder: string; deadMs: number }): Observer {
  let reported = NOTHING;
  let observedAt: Date | null = null;
  let looks = 0;

  async function look(): Promise<boolean> {
    const hold = await holdChanges(db, { holder, holdMs: HOLD_MS, observedAt });
    if (!hold) {
      observedAt = null;
      reported = NOTHING;
      return false;
    }
    const { now } = hold;
    const isLate = now.getTime() - hold.observedAt.getTime() > MOST_MISSED_MS;
    const from = isLate ? now.getTime() + COMMITTED_WITHIN_MS : hold.observedAt.getTime();
    const isWide = reported === NOTHING || looks % WIDE_EVERY === 0;
    const found = await observe(db, { now, since: new Date(from - COMMITTED_WITHIN_MS), reported, deadMs, isWide });
    const changes = { ...found.changes, missed: found.changes.missed || isLate };
    if (hasChanges(changes) && !(await writeChanges(db, { holder, changes }))) return false;
    if (looks % DROP_EVERY === 0) await dropChanges(db, KEPT_MS);
    looks += 1;
    reported = found.reported;
    observedAt = now;
    return true;
  }

  return {
    look,
    async stop() {
      observedAt = null;
      reported = NOTHING;
      await releaseChanges(db, holder);
    },
  };
}

function hasChanges({ runs, actions, alerts, fleet, crontabs, missed }: Changes): boolean {
  return runs.length > 0 || actions.length > 0 || alerts || fleet || crontabs || missed;
}

interface Asked {
  now: Date;
  /** How far back a wide look goes. */
  since: Date;
  reported: Reported;
  deadMs: number;
  isWide: boolean;
}

async function observe(
  db: Database,
  { now, since, reported, deadMs, isWide }: Asked,
): Promise<{ changes: Changes; reported: Reported }> {
  // Before those that have ended: a run that ends in between is told as ended, and not as under way after that.
  const underWay = await runsUnderWay(db, MOST);
  const [ended, actions, digests] = await Promise.all([
    runsEndedSince(db, isWide ? since : new Date(since.getTime() + COMMITTED_WITHIN_MS - SOON_COMMITTED_MS), MOST),
    actionsSince(db, since, MOST),
    isWide ? digestsOf(db, deadMs) : reported.digests,
  ]);
  const over = new Set(ended.map(({ id }) => id));
  const begun = underWay.filter((run) => !over.has(run.id) && reported.underWay.get(run.id) !== statusOf(run));
  const gone = ended.filter(({ id }) => !reported.ended.has(id));
  const crontabs = isTimeForCrontabs(reported, digests, now);
  return {
    changes: {
      runs: [...begun, ...gone].map(toChange),
      actions: actions
        .filter(({ id }) => !reported.actions.has(id))
        .map(({ subject, action }) => ({ subject, action }))
        .reverse(),
      alerts: differs(reported.digests, digests, 'alerts'),
      fleet: differs(reported.digests, digests, 'fleet'),
      crontabs,
      missed: [underWay, ended, actions].some(({ length }) => length === MOST),
    },
    reported: {
      underWay: new Map(underWay.map((run) => [run.id, statusOf(run)])),
      ended: new Map(
        [...reported.ended, ...ended.map(({ id, at }) => [id, at] as const)].filter(([, at]) => at >= since),
      ),
      actions: new Set(actions.map(({ id }) => id)),
      // What is not told yet stays another one.
      digests: digests && { ...digests, crontabs: (crontabs ? digests : reported.digests)?.crontabs ?? '' },
      crontabsAt: crontabs ? now : reported.crontabsAt,
    },
  };
}

/** Something was told of cron since that was last said, and that is long enough ago. */
export function isTimeForCrontabs(
  { digests: was, crontabsAt }: Pick<Reported, 'digests' | 'crontabsAt'>,
  is: Digests | null,
  now: Date,
): boolean {
  const isRested = crontabsAt === null || now.getTime() - crontabsAt.getTime() >= CRONTABS_EVERY_MS;
  return isRested && is !== null && is.crontabs !== '' && is.crontabs !== was?.crontabs;
}

function digestsOf(db: Database, deadMs: number): Promise<Digests> {
  return changeDigests(db, { deadMs, committedMs: COMMITTED_WITHIN_MS, lateMs: MOST_MISSED_MS });
}

function statusOf({ state, attempt }: RunStatus): string {
  return `${state} ${attempt}`;
}

function toChange({ id, taskName, state, attempt, at }: RunStatus): RunChange {
  return { id, taskName, state, attempt, at: at.toISOString() };
}

/** Where it is not known how it was, it is told as another: reading it again costs little. */
function differs(was: Digests | null, is: Digests | null, of: keyof Digests): boolean {
  return is !== null && was?.[of] !== is[of];
}
