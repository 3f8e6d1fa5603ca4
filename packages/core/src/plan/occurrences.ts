import { type CatchUpPolicy, DEFAULT_CATCH_UP, mostCaughtUp } from './catch-up-policy.ts';
import { type HoldsQuestion, holdsUntil } from './holds-until.ts';
import { type CatchUpVerdict, type Holds, judgeCatchUp } from './judge-catch-up.ts';
import { type AwayDuring, lateFrom, misfiresAtOf, misfireThresholdMs, misfireWords } from './misfire.ts';
import { type Pause, pauseAt, restReason } from './pause.ts';
import type { PlannedOccurrence } from './planned-occurrence.ts';
import { joinStretches } from './stretches.ts';

/** Occurrences looked at in one plan: keeps a pass short after a long outage of a dense schedule. */
const MAX_OCCURRENCES = 5000;

export interface PlanQuestion {
  /** The occurrence after an instant, strictly; null: none. */
  next: (after: Date) => Date | null;
  /** The first occurrence that is not in the ledger. */
  nextRunAt: Date;
  pauses: readonly Pause[];
  now: Date;
  /** How far ahead rows are made. */
  horizonMs: number;
  /** As the task says; undefined: the default. */
  misfireThresholdMs?: number | undefined;
  catchUp?: CatchUpPolicy | undefined;
  /** The task is as it is since then: an occurrence before it is not late for longer. Default: since ever. */
  effectiveAt?: Date | undefined;
  /** Jitter: an occurrence is due so many milliseconds after its instant. Default 0. */
  delayMs?: ((at: Date) => number) | undefined;
  /** Why an occurrence is left out, by the task's calendars; null: it is not. */
  excluded?: ((at: Date) => string | null) | undefined;
  /** Instants, in milliseconds, that have a row already: it was made, and has ended, before the task was edited. Default: none. */
  taken?: ReadonlySet<number> | undefined;
  /** How many more runs the schedule may have. Default: any number. */
  remaining?: number | undefined;
  /** The number of older occurrences of the same outage that have begun as catch-ups. Default 0. */
  begunBefore?: number | undefined;
  /** An older occurrence of the same outage may still be caught up. Default false. */
  openBefore?: boolean | undefined;
  /** Which servers were away, for the reason of what misfired. Default: not known. */
  away?: AwayDuring | undefined;
  /** Where in a stagger this task begins: from 0 to less than 1. Default 0. */
  share?: number | undefined;
}

export interface Plan {
  occurrences: PlannedOccurrence[];
  /** Null: never again. */
  nextRunAt: Date | null;
  /** The schedule has had all the runs it may have. */
  ended: boolean;
}

/**
 * What happens to the occurrences from `nextRunAt` up to the horizon (I2: each is in a row).
 *
 * 1. One that falls into a pause is skipped, as a row with the pause's note; one in the future is left until it is
 *    due, since the pause may end before.
 *    One of which nobody knows yet who runs it is held, however late it is.
 * 2. One that the task's calendars exclude is skipped, with the entry as the reason.
 * 3. One that is late by at most the misfire threshold, or in the future, is planned.
 * 4. The later ones misfired: the task's catch-up policy decides (`judgeCatchUp`).
 * 5. What never runs becomes one row a stretch, as far as it is past. After as many runs as the schedule may have there are no more.
 */
export function planOccurrences(question: PlanQuestion): Plan {
  const { fires, newerMisfired, nextRunAt } = collect(question);
  const misfired = fires.filter(({ kind }) => kind === 'misfired');
  const newerIsDue = fires.some(({ kind, at }) => kind === 'live' && at <= question.now);
  const catchUp = question.catchUp ?? DEFAULT_CATCH_UP;
  const verdicts = judgeCatchUp(misfired, {
    catchUp,
    newerIsDue,
    newerMisfired,
    begunBefore: question.begunBefore ?? 0,
    openBefore: question.openBefore ?? false,
    share: question.share ?? 0,
  });
  const inTurn = catchUp.policy === 'all' && misfired.length > 0;
  const nextVerdict = verdicts.values();
  const newestAt = misfired.at(-1)?.at;
  const rows = fires.map((fire) =>
    fire.kind === 'misfired'
      ? misfiredRow(fire, nextVerdict.next().value, { ...question, catchUp, newestAt: newestAt ?? fire.at })
      : rowOf(fire, inTurn && fire.at <= question.now, question.effectiveAt),
  );
  return ending({ occurrences: joinStretches(rows, question.now), nextRunAt, ended: false }, question.remaining);
}

interface Fire {
  kind: 'paused' | 'held' | 'excluded' | 'misfired' | 'live';
  at: Date;
  dueAt: Date;
  /** Negative: not due yet. */
  latenessMs: number;
  periodMs: number | null;
  thresholdMs: number;
  /** Why it is skipped. */
  reason: string | null;
  /** What it has missed, if it misfired. */
  misfire: string;
}

/** The occurrences up to the horizon; after a long outage only the first of them, and how many more misfired. */
function collect(question: PlanQuestion): { fires: Fire[]; newerMisfired: number; nextRunAt: Date | null } {
  const { next, pauses, now } = question;
  const until = now.getTime() + question.horizonMs;
  const fires: Fire[] = [];
  let at: Date | null = question.nextRunAt;
  // Equivalent mutant (border, < MAX_OCCURRENCES): nothing promises how many one pass plans: the next goes on behind them.
  while (at && at.getTime() <= until && fires.length < MAX_OCCURRENCES) {
    if (at > now && pauseAt(pauses, at)) break;
    const after = next(at);
    if (!question.taken?.has(at.getTime())) fires.push(fireAt(at, after, question));
    at = after;
  }
  return { fires, newerMisfired: fires.length < MAX_OCCURRENCES ? 0 : countMisfired(at, question), nextRunAt: at };
}

/** How many occurrences from `at` on misfired, as far as it matters to the policy. */
function countMisfired(from: Date | null, question: PlanQuestion): number {
  const most = Math.max(1, mostCaughtUp(question.catchUp ?? DEFAULT_CATCH_UP));
  let misfired = 0;
  let looked = 0;
  // Equivalent mutant (border, < most): it counts one more than all that are caught up; no older one runs either way.
  for (let at = from; at && at <= question.now && misfired < most && looked < MAX_OCCURRENCES; looked++) {
    const after = question.next(at);
    if (fireAt(at, after, question).kind === 'misfired') misfired++;
    at = after;
  }
  return misfired;
}

function fireAt(at: Date, after: Date | null, question: PlanQuestion): Fire {
  const { now, effectiveAt, pauses } = question;
  const dueAt = new Date(at.getTime() + (question.delayMs?.(at) ?? 0));
  const periodMs = after ? after.getTime() - at.getTime() : null;
  const thresholdMs = misfireThresholdMs(question.misfireThresholdMs, periodMs);
  const latenessMs = now.getTime() - lateFrom(dueAt, effectiveAt).getTime();
  const away = latenessMs > thresholdMs ? question.away?.(dueAt, new Date(dueAt.getTime() + thresholdMs)) : undefined;
  const misfire = misfireWords('no scheduler planned', thresholdMs, away);
  const fire = { at, dueAt, periodMs, thresholdMs, latenessMs, misfire };
  const pause = pauseAt(pauses, at);
  if (pause && pause.held === undefined) return { ...fire, kind: 'paused', reason: restReason(pause) };
  const reason = question.excluded?.(at) ?? null;
  if (reason !== null) return { ...fire, kind: 'excluded', reason };
  if (pause) return { ...fire, kind: 'held', reason: restReason(pause) };
  return { ...fire, kind: latenessMs > thresholdMs ? 'misfired' : 'live', reason };
}

function rowOf(fire: Fire, inTurn: boolean, effectiveAt: Date | undefined): PlannedOccurrence {
  const { at, dueAt, reason, thresholdMs } = fire;
  const row = { scheduledFor: at, dueAt, origin: 'schedule', reason, untilAt: null, occurrences: 1 } as const;
  if (fire.kind === 'held') return { ...row, state: 'held', misfireAt: null, inTurn: false };
  if (fire.kind !== 'live') return { ...row, state: 'skipped', misfireAt: null, inTurn: false };
  const misfireAt = new Date(lateFrom(dueAt, effectiveAt).getTime() + thresholdMs);
  return { ...row, state: 'planned', misfireAt, inTurn };
}

function misfiredRow(
  fire: Fire,
  verdict: CatchUpVerdict | undefined,
  question: PlanQuestion & Chosen,
): PlannedOccurrence {
  const { at, dueAt, thresholdMs } = fire;
  const nowMs = question.now.getTime();
  const row = { scheduledFor: at, dueAt, misfireAt: null, inTurn: false, untilAt: null, occurrences: 1 };
  switch (verdict?.to) {
    case 'run': {
      const startAt = new Date(Math.max(dueAt.getTime(), nowMs + verdict.delayMs));
      return {
        ...row,
        dueAt: verdict.delayMs > 0 ? startAt : dueAt,
        misfireAt: chosenUntil(fire, verdict.holds, question),
        origin: 'catch_up',
        state: 'planned',
        reason: null,
        inTurn: verdict.inTurn,
      };
    }
    case 'open':
      return {
        ...row,
        dueAt: new Date(nowMs + verdict.waitMs),
        misfireAt: new Date(dueAt.getTime() + thresholdMs),
        origin: 'schedule',
        state: 'planned',
        reason: null,
      };
    case 'held':
      return { ...row, origin: 'catch_up', state: 'held', reason: verdict.reason };
    default:
      return { ...row, origin: 'schedule', state: 'missed', reason: verdict?.reason ?? 'missed' };
  }
}

type Chosen = Pick<HoldsQuestion, 'catchUp' | 'newestAt'>;

function chosenUntil(fire: Fire, holds: Holds, question: PlanQuestion & Chosen): Date | null {
  const misfiresAt = misfiresAtOf(question);
  return holdsUntil({ ...fire, dueAt: lateFrom(fire.dueAt, question.effectiveAt), holds }, { ...question, misfiresAt });
}

/** Ends a plan with the last run that the schedule may still have. */
function ending(plan: Plan, remaining: number | undefined): Plan {
  if (remaining === undefined) return plan;
  let left = remaining;
  const rows: PlannedOccurrence[] = [];
  for (const row of plan.occurrences) {
    if (left <= 0) break;
    rows.push(row);
    if (row.state === 'planned' || row.state === 'held') left -= 1;
  }
  return left > 0 ? plan : { occurrences: rows, nextRunAt: null, ended: true };
}
