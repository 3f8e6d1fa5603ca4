import { DAY } from '../clock.ts';
import { formatSpan } from '../format-span.ts';
import { hashTo } from '../schedule/cron/hash.ts';
import { type CatchUpPolicy, mostCaughtUp } from './catch-up-policy.ts';

/** The default policy does not catch up what is later than this, however long the schedule's period. */
const DEFAULT_WITHIN_MS = 1 * DAY;

/** An occurrence that nobody started within its misfire threshold, or that an earlier judgement has chosen and that has not begun. */
export interface Misfire {
  /** How late it is now. */
  latenessMs: number;
  /** Time to the occurrence after it; null: there is none. */
  periodMs: number | null;
  /** What it has missed, for its row: "no scheduler planned it within 60 s". */
  misfire: string;
  /** An earlier judgement has chosen it: its start may be staggered. Default false. */
  chosen?: boolean;
  /** It was left open, and an occurrence after it has begun in time: its outage is over. Default false. */
  over?: boolean;
}

export interface CatchUpQuestion {
  catchUp: CatchUpPolicy;
  /** An occurrence newer than all of these is due, and is to start or has started in time. */
  newerIsDue: boolean;
  /** How many more misfired that are newer than these. */
  newerMisfired: number;
  /** The number of older occurrences of the same outage that have begun as catch-ups. */
  begunBefore: number;
  /** One of the same outage that is older than these may still be caught up: they are judged together later. Not asked for `latest`. */
  openBefore: boolean;
  /** Where in the stagger this task begins: from 0 to less than 1, the same for the same task. */
  share: number;
}

export type CatchUpVerdict =
  /**
   * Runs after so many milliseconds; in turn: it must not be skipped by the runs it comes with. `holds`: until one newer
   * occurrence is due, until so many more have misfired, or for as long as it is not too late.
   */
  | { to: 'run'; delayMs: number; inTurn: boolean; holds: Holds }
  /** Waits for a person. */
  | { to: 'held'; reason: string }
  /** It is judged again after so many milliseconds, with older ones: by then they have begun, or are too late. */
  | { to: 'open'; waitMs: number }
  | { to: 'missed'; reason: string };

export type Holds = { until: 'newer-due' } | { until: 'more-misfired'; count: number } | { until: 'too-late' };

const SHARES = 1000;

/** The share of a task: staggers the catch-up runs of many tasks whose policies say so. */
export function catchUpShare(task: string): number {
  return hashTo(task, 'catch-up', SHARES) / SHARES;
}

/**
 * Judges all open occurrences of a task that misfired in one outage together, the oldest first (I2: each is told why).
 * While the outage lasts, each later judgement of the same occurrences and newer ones gives the result that one
 * judgement at its end would give: only what no later judgement can choose is missed.
 */
export function judgeCatchUp(misfired: readonly Misfire[], question: CatchUpQuestion): CatchUpVerdict[] {
  const chosen = chooseCaughtUp(misfired, question);
  const order = [...chosen];
  return misfired.map((each) => {
    if (chosen.has(each)) return toChosen(each, order, question);
    return openUntil(each, misfired, question) ?? missed(each, question, chosen);
  });
}

function toChosen(each: Misfire, chosen: readonly Misfire[], question: CatchUpQuestion): CatchUpVerdict {
  const { catchUp, share } = question;
  if (catchUp.policy === 'ask')
    return { to: 'held', reason: `${each.misfire}; held until somebody says what becomes of it` };
  const index = chosen.indexOf(each);
  return {
    to: 'run',
    delayMs: Math.floor(((index + share) / chosen.length) * staggerOf(catchUp)),
    inTurn: catchUp.policy === 'all',
    holds: holdsOf(question, chosen.length - index),
  };
}

/** `rank`: from the newest of the chosen, which has 1. */
function holdsOf(question: CatchUpQuestion, rank: number): Holds {
  switch (question.catchUp.policy) {
    case 'latest':
      return { until: 'newer-due' };
    case 'all':
    case 'ask':
      return { until: 'more-misfired', count: roomOf(question) - rank + 1 };
    default:
      return { until: 'too-late' };
  }
}

function roomOf({ catchUp, newerMisfired, begunBefore }: CatchUpQuestion): number {
  const before = catchUp.policy === 'latest' ? 0 : begunBefore;
  return Math.max(0, mostCaughtUp(catchUp) - newerMisfired - before);
}

function chooseCaughtUp(misfired: readonly Misfire[], question: CatchUpQuestion): ReadonlySet<Misfire> {
  const { catchUp, newerIsDue, begunBefore, openBefore } = question;
  const room = openBefore && catchUp.policy !== 'latest' ? 0 : roomOf(question);
  const inTime = misfired.filter((each) => isInTime(each, catchUp));
  switch (catchUp.policy) {
    case 'none':
      return new Set();
    case 'latest': {
      const latest = misfired.at(-1);
      return new Set(newerIsDue || room === 0 || !latest || !inTime.includes(latest) ? [] : [latest]);
    }
    case 'earliest':
      return new Set(begunBefore > 0 || room === 0 ? [] : inTime.slice(0, 1));
    case 'all':
    case 'ask':
      return new Set(room === 0 ? [] : inTime.slice(-room));
  }
}

/** One that a later judgement can choose: with older ones that are open, or of `earliest` once those before it are too late. */
function openUntil(each: Misfire, misfired: readonly Misfire[], question: CatchUpQuestion): CatchUpVerdict | undefined {
  const { catchUp, begunBefore, openBefore } = question;
  if (catchUp.policy === 'none' || catchUp.policy === 'latest' || !isInTime(each, catchUp)) return undefined;
  if (openBefore) return { to: 'open', waitMs: 0 };
  if (catchUp.policy !== 'earliest' || catchUp.withinMs === undefined || begunBefore > 0) return undefined;
  const before = misfired[misfired.indexOf(each) - 1];
  return { to: 'open', waitMs: before ? Math.max(0, latestLateness(catchUp, before) - before.latenessMs) : 0 };
}

function isInTime(each: Misfire, catchUp: CatchUpPolicy): boolean {
  return !each.over && each.latenessMs <= latestLateness(catchUp, each);
}

/** The greatest lateness at which an occurrence is caught up. One that was chosen may have been put off to stagger the starts. */
export function latestLateness(catchUp: CatchUpPolicy, each: Pick<Misfire, 'periodMs' | 'chosen'>): number {
  return withinMs(catchUp, each) + (each.chosen ? staggerOf(catchUp) : 0);
}

function staggerOf(catchUp: CatchUpPolicy): number {
  return 'staggerMs' in catchUp ? (catchUp.staggerMs ?? 0) : 0;
}

/** The greatest lateness that the policy allows. */
function withinMs(catchUp: CatchUpPolicy, { periodMs }: Pick<Misfire, 'periodMs'>): number {
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
      return each.latenessMs > latestLateness(catchUp, each)
        ? `the task catches up within ${formatSpan(within)} only`
        : 'the earliest misfired one runs instead';
    case 'all':
    case 'ask':
      return each.latenessMs > latestLateness(catchUp, each)
        ? `the task catches up within ${formatSpan(within)} only`
        : `the task catches up ${mostCaughtUp(catchUp)} at most, the newest`;
  }
}
