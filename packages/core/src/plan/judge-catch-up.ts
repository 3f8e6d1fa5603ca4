import { DAY } from '../clock.ts';
import { spread } from '../schedule/cron/hash.ts';
import { formatSpan } from '../verdict.ts';
import { type CatchUpPolicy, mostCaughtUp } from './catch-up-policy.ts';

/** The default policy does not catch up what is later than this, however long the schedule's period. */
const DEFAULT_WITHIN_MS = 1 * DAY;

/** An occurrence that nobody started within its misfire threshold. */
export interface Misfire {
  /** How late it is now. */
  latenessMs: number;
  /** Time to the occurrence after it; null: there is none. */
  periodMs: number | null;
  /** What it has missed, for its row: "no scheduler planned it within 60 s". */
  misfire: string;
}

export interface CatchUpQuestion {
  catchUp: CatchUpPolicy;
  /** An occurrence newer than all of these is due, and is to start or has started in time. */
  newerIsDue: boolean;
  /** How many more misfired that are newer than these. */
  newerMisfired: number;
  /** The occurrence before these misfired too: the outage began before them. */
  misfiredBefore: boolean;
  /** Where in the spread this task begins: from 0 to less than 1, the same for the same task. */
  share: number;
}

export type CatchUpVerdict =
  /** Runs after so many milliseconds; in turn: it must not be skipped by the runs it comes with. */
  | { to: 'run'; delayMs: number; inTurn: boolean }
  /** Waits for a person. */
  | { to: 'held'; reason: string }
  | { to: 'missed'; reason: string };

const SHARES = 1000;

/** The share of a task: spreads the catch-up runs of many tasks whose policies say so. */
export function catchUpShare(task: string): number {
  return spread(task, 'catch-up', SHARES) / SHARES;
}

/** What becomes of the misfired occurrences of a task, the oldest first (I2: each is told why). */
export function judgeCatchUp(misfired: readonly Misfire[], question: CatchUpQuestion): CatchUpVerdict[] {
  const chosen = chooseCaughtUp(misfired, question);
  const { catchUp, share } = question;
  if (catchUp.policy === 'ask')
    return misfired.map((each) =>
      chosen.has(each)
        ? { to: 'held', reason: `${each.misfire}; held until somebody says what becomes of it` }
        : missed(each, question, chosen),
    );
  const spreadMs = 'spreadMs' in catchUp ? (catchUp.spreadMs ?? 0) : 0;
  let started = 0;
  return misfired.map((each) =>
    chosen.has(each)
      ? {
          to: 'run',
          delayMs: Math.floor(((started++ + share) / chosen.size) * spreadMs),
          inTurn: catchUp.policy === 'all',
        }
      : missed(each, question, chosen),
  );
}

function chooseCaughtUp(misfired: readonly Misfire[], question: CatchUpQuestion): ReadonlySet<Misfire> {
  const { catchUp, newerIsDue, newerMisfired, misfiredBefore } = question;
  const room = Math.max(0, mostCaughtUp(catchUp) - newerMisfired);
  const inTime = misfired.filter((each) => each.latenessMs <= withinMs(catchUp, each));
  switch (catchUp.policy) {
    case 'none':
      return new Set();
    case 'latest': {
      const latest = misfired.at(-1);
      return new Set(newerIsDue || room === 0 || !latest || !inTime.includes(latest) ? [] : [latest]);
    }
    case 'earliest':
      return new Set(misfiredBefore ? [] : inTime.slice(0, 1));
    case 'all':
    case 'ask':
      return new Set(room === 0 ? [] : inTime.slice(-room));
  }
}

/** How late an occurrence may be and still be caught up. */
function withinMs(catchUp: CatchUpPolicy, { periodMs }: Misfire): number {
  const asked = 'withinMs' in catchUp ? catchUp.withinMs : undefined;
  if (asked !== undefined) return asked;
  if (catchUp.policy !== 'latest') return Number.POSITIVE_INFINITY;
  return Math.min(DEFAULT_WITHIN_MS, periodMs ?? DEFAULT_WITHIN_MS);
}

function missed(each: Misfire, question: CatchUpQuestion, chosen: ReadonlySet<Misfire>): CatchUpVerdict {
  return { to: 'missed', reason: `${each.misfire}; ${whyMissed(each, question, chosen)}` };
}

function whyMissed(
  each: Misfire,
  { catchUp, newerIsDue, newerMisfired }: CatchUpQuestion,
  chosen: ReadonlySet<Misfire>,
): string {
  const within = withinMs(catchUp, each);
  switch (catchUp.policy) {
    case 'none':
      return 'the task does not catch up';
    case 'latest':
      return chosen.size > 0 || newerIsDue || newerMisfired > 0
        ? 'a newer occurrence runs instead'
        : `the task catches up within ${formatSpan(within)} only`;
    case 'earliest':
      return each.latenessMs > within
        ? `the task catches up within ${formatSpan(within)} only`
        : 'the earliest misfired one runs instead';
    case 'all':
    case 'ask':
      return each.latenessMs > within
        ? `the task catches up within ${formatSpan(within)} only`
        : `the task catches up ${mostCaughtUp(catchUp)} at most, the newest`;
  }
}
