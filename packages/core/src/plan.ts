import { SECOND } from './clock.ts';

/** An occurrence later than this is no longer simply started late. */
export const MISFIRE_THRESHOLD_MS = 60 * SECOND;

/** Occurrences looked at in one plan: keeps a pass short after a long outage of a dense schedule. */
const MAX_OCCURRENCES = 5000;

export interface Pause {
  fromAt: Date;
  /** Null: until resumed. */
  untilAt: Date | null;
  note: string | null;
}

export interface PlanQuestion {
  /** The occurrence after an instant, strictly; null: none. */
  next: (after: Date) => Date | null;
  /** The first occurrence that is not in the ledger. */
  nextRunAt: Date;
  pauses: readonly Pause[];
  now: Date;
  /** How far ahead rows are made. */
  horizonMs: number;
}

/** A row of the ledger to be: one occurrence, or a stretch of them that never runs. */
export interface PlannedOccurrence {
  scheduledFor: Date;
  origin: 'schedule' | 'catch_up';
  state: 'planned' | 'missed' | 'skipped';
  reason: string | null;
  /** Last occurrence of a stretch; null: a single one. */
  untilAt: Date | null;
  occurrences: number;
}

export interface Plan {
  occurrences: PlannedOccurrence[];
  /** Null: never again. */
  nextRunAt: Date | null;
}

/** How a pause is worded in the ledger. */
export function pausedReason(note: string | null): string {
  return note ? `paused: ${note}` : 'paused';
}

/**
 * What happens to the occurrences from `nextRunAt` up to the horizon (I2: each is in a row).
 *
 * 1. One that falls into a pause is skipped, as a row with the pause's note; one in the future is left until it is
 *    due, since the pause may end before.
 * 2. One at most `MISFIRE_THRESHOLD_MS` late, or in the future, is planned.
 * 3. Of the later ones the newest is caught up if nothing newer is due; the others are missed, one row a stretch.
 */
export function planOccurrences(question: PlanQuestion): Plan {
  const { fires, nextRunAt, truncated } = collect(question);
  const live = fires.filter(({ at, pause }) => !pause && !isMisfire(at, question.now));
  const late = fires.filter(({ at, pause }) => !pause && isMisfire(at, question.now));
  const newestIsDue = live.some(({ at }) => at <= question.now);
  const caughtUp = truncated || newestIsDue ? undefined : late.at(-1);
  const occurrences = fires.map((fire) => judge(fire, fire === caughtUp, question.now));
  return { occurrences: joinStretches(occurrences), nextRunAt };
}

interface Fire {
  at: Date;
  pause: Pause | undefined;
}

function collect(question: PlanQuestion): { fires: Fire[]; nextRunAt: Date | null; truncated: boolean } {
  const { next, pauses, now } = question;
  const until = now.getTime() + question.horizonMs;
  const fires: Fire[] = [];
  let at: Date | null = question.nextRunAt;
  while (at && at.getTime() <= until && fires.length < MAX_OCCURRENCES) {
    const pause = pauseAt(pauses, at);
    if (pause && at > now) break;
    fires.push({ at, pause });
    at = next(at);
  }
  return { fires, nextRunAt: at, truncated: at !== null && fires.length >= MAX_OCCURRENCES && at <= now };
}

function pauseAt(pauses: readonly Pause[], at: Date): Pause | undefined {
  return pauses.find((pause) => pause.fromAt <= at && (pause.untilAt === null || at < pause.untilAt));
}

function isMisfire(at: Date, now: Date): boolean {
  return now.getTime() - at.getTime() > MISFIRE_THRESHOLD_MS;
}

function judge({ at, pause }: Fire, caughtUp: boolean, now: Date): PlannedOccurrence {
  const single = { scheduledFor: at, untilAt: null, occurrences: 1 };
  if (pause) return { ...single, origin: 'schedule', state: 'skipped', reason: pausedReason(pause.note) };
  if (caughtUp) return { ...single, origin: 'catch_up', state: 'planned', reason: null };
  if (!isMisfire(at, now)) return { ...single, origin: 'schedule', state: 'planned', reason: null };
  const reason = `no scheduler planned it within ${MISFIRE_THRESHOLD_MS / SECOND} s; a newer occurrence runs instead`;
  return { ...single, origin: 'schedule', state: 'missed', reason };
}

function joinStretches(occurrences: readonly PlannedOccurrence[]): PlannedOccurrence[] {
  const rows: PlannedOccurrence[] = [];
  for (const each of occurrences) {
    const last = rows.at(-1);
    if (last && last.state !== 'planned' && last.state === each.state && last.reason === each.reason) {
      last.untilAt = each.scheduledFor;
      last.occurrences += 1;
    } else rows.push({ ...each });
  }
  return rows;
}
