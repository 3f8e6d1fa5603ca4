import { DAY } from '../clock.ts';
import { spread } from '../schedule/cron/hash.ts';
import { formatSpan } from '../verdict.ts';
import { type CatchUpPolicy, mostCaughtUp } from './catch-up-policy.ts';

/** The default policy does not catch up what is later than this, however long the schedule's period. */
const DEFAULT_WITHIN_MS = 1 * DAY;

/** An occurrence that nobody started within its misfire threshold. */
export interface Owed {
  /** How late it is now. */
  latenessMs: number;
  /** Time to the occurrence after it; null: there is none. */
  periodMs: number | null;
  /** What it has missed, for its row: "no scheduler planned it within 60 s". */
  misfire: string;
}

export interface OwedQuestion {
  catchUp: CatchUpPolicy;
  /** An occurrence newer than all of these is due, and is to start or has started in time. */
  newerIsDue: boolean;
  /** How many more are owed that are newer than these. */
  newerOwed: number;
  /** The occurrence before these was owed too: the outage began before them. */
  owedBefore: boolean;
  /** Where in the spread this task begins: from 0 to less than 1, the same for the same task. */
  share: number;
}

export type OwedVerdict =
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

/** What becomes of the owed occurrences of a task, the oldest first (I2: each is told why). */
export function judgeOwed(owed: readonly Owed[], question: OwedQuestion): OwedVerdict[] {
  const chosen = chooseOwed(owed, question);
  const { catchUp, share } = question;
  if (catchUp.policy === 'ask')
    return owed.map((each) =>
      chosen.has(each)
        ? { to: 'held', reason: `${each.misfire}; held until somebody says what becomes of it` }
        : missed(each, question, chosen),
    );
  const spreadMs = 'spreadMs' in catchUp ? (catchUp.spreadMs ?? 0) : 0;
  let started = 0;
  return owed.map((each) =>
    chosen.has(each)
      ? {
          to: 'run',
          delayMs: Math.floor(((started++ + share) / chosen.size) * spreadMs),
          inTurn: catchUp.policy === 'all',
        }
      : missed(each, question, chosen),
  );
}

function chooseOwed(owed: readonly Owed[], question: OwedQuestion): ReadonlySet<Owed> {
  const { catchUp, newerIsDue, newerOwed, owedBefore } = question;
  const room = Math.max(0, mostCaughtUp(catchUp) - newerOwed);
  const inTime = owed.filter((each) => each.latenessMs <= withinMs(catchUp, each));
  switch (catchUp.policy) {
    case 'none':
      return new Set();
    case 'latest': {
      const latest = owed.at(-1);
      return new Set(newerIsDue || room === 0 || !latest || !inTime.includes(latest) ? [] : [latest]);
    }
    case 'earliest':
      return new Set(owedBefore ? [] : inTime.slice(0, 1));
    case 'all':
    case 'ask':
      return new Set(room === 0 ? [] : inTime.slice(-room));
  }
}

/** How late an occurrence may be and still be caught up. */
function withinMs(catchUp: CatchUpPolicy, { periodMs }: Owed): number {
  const asked = 'withinMs' in catchUp ? catchUp.withinMs : undefined;
  if (asked !== undefined) return asked;
  if (catchUp.policy !== 'latest') return Number.POSITIVE_INFINITY;
  return Math.min(DEFAULT_WITHIN_MS, periodMs ?? DEFAULT_WITHIN_MS);
}

function missed(each: Owed, question: OwedQuestion, chosen: ReadonlySet<Owed>): OwedVerdict {
  return { to: 'missed', reason: `${each.misfire}; ${whyMissed(each, question, chosen)}` };
}

function whyMissed(each: Owed, { catchUp, newerIsDue, newerOwed }: OwedQuestion, chosen: ReadonlySet<Owed>): string {
  const within = withinMs(catchUp, each);
  switch (catchUp.policy) {
    case 'none':
      return 'the task does not catch up';
    case 'latest':
      return chosen.size > 0 || newerIsDue || newerOwed > 0
        ? 'a newer occurrence runs instead'
        : `the task catches up within ${formatSpan(within)} only`;
    case 'earliest':
      return each.latenessMs > within
        ? `the task catches up within ${formatSpan(within)} only`
        : 'the earliest one that was owed runs instead';
    case 'all':
    case 'ask':
      return each.latenessMs > within
        ? `the task catches up within ${formatSpan(within)} only`
        : `the task catches up ${mostCaughtUp(catchUp)} at most, the newest`;
  }
}
