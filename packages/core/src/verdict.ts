import { type CancelRequest, cancelledReason } from './cancel.ts';
import { DAY, HOUR, SECOND } from './clock.ts';
import type { RunEffects } from './effects.ts';
import { formatSpan } from './format-span.ts';
import type { HandlerOutcome, RunError } from './handler.ts';
import type { Json } from './json.ts';
import type { RunState } from './run-state.ts';
import type { Delivery, RetryPolicy } from './task.ts';

/** How an attempt came to its end. */
export type AttemptEnd =
  | { kind: 'returned'; outcome: HandlerOutcome }
  | ({ kind: 'timed_out'; timeoutMs: number } & Begun)
  /** Its handler had not reported for so long. */
  | ({ kind: 'silent'; heartbeatTimeoutMs: number } & Begun)
  | { kind: 'cancelled'; request: CancelRequest }
  /** Cut off by a shutdown or a lease that could not be proven: no fault of the task. */
  | ({ kind: 'interrupted'; why: 'shutdown' | 'lease_lost' } & Begun)
  /** Its worker could not start its handler, since it cannot read the task's definition; another one may. */
  | { kind: 'unreadable'; worker: string; problem: string }
  /** Its worker does not have its code; another one of the pool does, as while a new version is rolled out. */
  | { kind: 'elsewhere'; worker: string }
  /** Its worker vanished. */
  | ({ kind: 'lost'; worker: string } & Loss);

/** What speaks for and against a run whose worker vanished. */
export interface Loss {
  /** Other runs were on that worker, or it is known to live: nothing says that this run took it down. */
  shared: boolean;
  /** Workers that vanished under this run before, shared or not. */
  before: number;
}

interface Begun {
  /** The handler had not begun its work: known for sure. */
  notBegun?: boolean;
  /** What else was seen of it, for the reason. */
  seen?: string | undefined;
}

/** What the ledger keeps of an attempt that another follows. */
export type AttemptOutcome = 'failed' | 'timed_out' | 'lost' | 'interrupted';

/** What becomes of the run. */
export interface Verdict {
  to: RunState;
  /** For people; null where there is nothing to say. */
  reason: string | null;
  /** With `to: 'retrying'`. */
  retryAt?: Date;
  attemptOutcome?: AttemptOutcome;
  /** The loss of its worker is held against the run: it was alone there. */
  lost: boolean;
  /** The attempt does not count against the retry policy. */
  uncounted: boolean;
  error?: RunError;
  output?: Json;
  exitCode?: number;
  /** With `to: 'succeeded'`. */
  effects?: RunEffects;
}

/** The run and its policy as far as the verdict needs them. */
export interface Tries {
  /** Attempts begun, this one included. */
  attempt: number;
  /** Earlier ones that do not count. */
  uncounted: number;
  /** Earlier ones that lost their worker, and were alone there. */
  lost: number;
  maxLost: number;
  retry: RetryPolicy;
  delivery: Delivery;
}

/** Wait before a run whose worker vanished or was shut down is tried again. */
const RECOVERY_DELAY_MS = 0;

/** So many workers more than `maxLost` a run may lose if others were there each time. */
export const SHARED_LOSSES = 2;

/**
 * Runs that have lost a worker together, and not for the first time, are tried again within this time, each when chance
 * has it: the one that takes workers down must not meet the same neighbours again.
 */
export const SCATTER_MS = 15 * SECOND;

/** Wait before a run is offered again whose definition its worker could not read: for a worker of another version. */
const UNREADABLE_DELAY_MS = 5 * SECOND;

/** Wait before a run is offered again whose code its worker does not have. */
const ELSEWHERE_DELAY_MS = 500;

/** Decides, and alone decides, whether a run ends or is tried again. `random` is in [0, 1). */
export function decide(end: AttemptEnd, tries: Tries, now: Date, random: number): Verdict {
  const verdict = decideByPolicy(end, tries, now, random);
  return tries.delivery === 'at-most-once' && isCutOff(end) ? unknownAfter(verdict) : verdict;
}

/** Whether the work was under way and nobody knows how far it came. A cancelled run is never started again anyway. */
function isCutOff(end: AttemptEnd): boolean {
  switch (end.kind) {
    case 'lost':
      return true;
    case 'timed_out':
    case 'silent':
    case 'interrupted':
      return end.notBegun !== true;
    case 'returned':
      return end.outcome.status === 'failed' && end.outcome.work === 'cut_off';
    case 'cancelled':
    case 'unreadable':
    case 'elsewhere':
      return false;
  }
}

function unknownAfter({ reason, lost, uncounted, error, exitCode }: Verdict): Verdict {
  const why = `${reason}; its work may be done or not, and it is not started again (at-most-once)`;
  return {
    to: 'unknown',
    reason: why,
    lost,
    uncounted,
    ...(error === undefined ? {} : { error }),
    ...(exitCode === undefined ? {} : { exitCode }),
  };
}

function alsoSeen({ seen }: Begun): string {
  return seen ? `; ${seen}` : '';
}

function decideByPolicy(end: AttemptEnd, tries: Tries, now: Date, random: number): Verdict {
  switch (end.kind) {
    case 'returned':
      return decideOutcome(end.outcome, tries, now, random);
    case 'timed_out': {
      const reason = `ran longer than its time limit of ${formatSpan(end.timeoutMs)}${alsoSeen(end)}`;
      return retryOrEnd('timed_out', reason, { tries, now, random });
    }
    case 'silent': {
      const reason = `its handler did not report within its heartbeat limit of ${formatSpan(end.heartbeatTimeoutMs)}${alsoSeen(end)}`;
      return retryOrEnd('timed_out', reason, { tries, now, random });
    }
    case 'cancelled':
      return { to: 'cancelled', reason: cancelledReason(end.request, 'while running'), lost: false, uncounted: false };
    case 'interrupted':
      return {
        to: 'retrying',
        reason:
          end.why === 'shutdown'
            ? 'cut off by the shutdown of its worker'
            : 'its worker could no longer prove its lease',
        // Equivalent mutant (arithmetic): the delay is 0.
        retryAt: new Date(now.getTime() + RECOVERY_DELAY_MS),
        attemptOutcome: 'interrupted',
        lost: false,
        uncounted: true,
      };
    case 'lost':
      return decideLost(end, { tries, now, random });
    case 'unreadable':
      return decideUnreadable(end, tries, now);
    case 'elsewhere':
      return {
        to: 'retrying',
        reason: `worker ${end.worker} does not have its code; another one of its pool has`,
        retryAt: new Date(now.getTime() + ELSEWHERE_DELAY_MS),
        attemptOutcome: 'interrupted',
        lost: false,
        uncounted: true,
      };
  }
}

function decideOutcome(outcome: HandlerOutcome, tries: Tries, now: Date, random: number): Verdict {
  if (outcome.status === 'succeeded') {
    return {
      to: 'succeeded',
      reason: null,
      lost: false,
      uncounted: false,
      ...(outcome.output === undefined ? {} : { output: outcome.output }),
      ...(outcome.exitCode === undefined ? {} : { exitCode: outcome.exitCode }),
      ...(outcome.effects === undefined ? {} : { effects: outcome.effects }),
    };
  }
  if (outcome.status === 'skipped') return { to: 'skipped', reason: outcome.reason, lost: false, uncounted: false };
  const kept = { error: outcome.error, ...(outcome.exitCode === undefined ? {} : { exitCode: outcome.exitCode }) };
  const reason = outcome.error.message || outcome.error.name;
  if (outcome.retry === 'never') return { to: 'failed', reason, lost: false, uncounted: false, ...kept };
  return { ...retryOrEnd('failed', reason, { tries, now, random, at: outcome.retry?.at }), ...kept };
}

/**
 * Who was alone on its worker is suspected of having taken it down: quarantined at `maxLost` such losses. Where others were
 * there it may have been any of them; but who was there `SHARED_LOSSES` times more than that is no mere neighbour.
 */
function decideLost(loss: Extract<AttemptEnd, { kind: 'lost' }>, { tries, now, random }: RetryQuestion): Verdict {
  const { worker, shared, before } = loss;
  const alone = tries.lost + (shared ? 0 : 1);
  const losses = Math.max(before, tries.lost) + 1;
  const most = tries.maxLost + SHARED_LOSSES;
  if (alone >= tries.maxLost || losses >= most) {
    const times = losses === 1 ? 'once' : `${losses} times`;
    const limit = alone >= tries.maxLost ? `${tries.maxLost}` : `${most} where other runs were on it too`;
    const reason = `lost its worker ${times} (limit ${limit}), the last was ${worker}`;
    return { to: 'quarantined', reason, lost: !shared, uncounted: true };
  }
  const delayMs = shared && before > 0 ? Math.round(random * SCATTER_MS) : RECOVERY_DELAY_MS;
  return {
    to: 'retrying',
    reason: `lost its worker ${worker}`,
    retryAt: new Date(now.getTime() + delayMs),
    attemptOutcome: 'lost',
    lost: !shared,
    uncounted: true,
  };
}

/** Counted as a lost worker: where no worker can read the definition the attempts must have an end (I12). */
function decideUnreadable(end: Extract<AttemptEnd, { kind: 'unreadable' }>, tries: Tries, now: Date): Verdict {
  const reason = `worker ${end.worker} could not read its definition: ${end.problem}`;
  if (tries.lost + 1 >= tries.maxLost) return { to: 'quarantined', reason, lost: true, uncounted: true };
  const retryAt = new Date(now.getTime() + UNREADABLE_DELAY_MS);
  return { to: 'retrying', reason, retryAt, attemptOutcome: 'interrupted', lost: true, uncounted: true };
}

/** What a handler, or a server that it asks, may ask for at most. Its run keeps its place in the key until then. */
export const MAX_RETRY_DELAY_MS = 30 * DAY;

/** Between the end of a run that says when its task is due next and that next run there is at least this. The SQL function apply_effects has the same. */
export const LEAST_BREAK_MS = 1 * SECOND;

/** When the next run begins that a run has asked for, whose date may have passed. */
export function nextAsked(at: Date, endedAt: Date): Date {
  return new Date(Math.max(at.getTime(), endedAt.getTime() + LEAST_BREAK_MS));
}

interface RetryQuestion {
  tries: Tries;
  now: Date;
  random: number;
  /** The handler's own wish. */
  at?: Date | undefined;
}

function retryOrEnd(state: 'failed' | 'timed_out', reason: string, question: RetryQuestion): Verdict {
  const { tries, now, random } = question;
  const counted = tries.attempt - tries.uncounted;
  if (counted >= tries.retry.maxAttempts) {
    const after = tries.retry.maxAttempts > 1 ? ` (attempt ${counted} of ${tries.retry.maxAttempts})` : '';
    return { to: state, reason: reason + after, lost: false, uncounted: false };
  }
  const wish = question.at ?? new Date(now.getTime() + backoffMs(tries.retry, counted, random));
  const waitMs = Math.max(0, wish.getTime() - now.getTime());
  const retryAt = new Date(now.getTime() + Math.min(waitMs, MAX_RETRY_DELAY_MS));
  return {
    to: 'retrying',
    reason: waitMs > MAX_RETRY_DELAY_MS ? `${reason}; ${tooLate(wish)}` : reason,
    ...{ retryAt, attemptOutcome: state, lost: false, uncounted: false },
  };
}

function tooLate(wish: Date): string {
  return `it asked to be tried again at ${wish.toISOString()}, and is after ${formatSpan(MAX_RETRY_DELAY_MS)}, the most that a run waits`;
}

/** Wait after the given counted attempt, in milliseconds. Without a policy: exponential from 1 s, capped at 1 h. */
export function backoffMs(policy: RetryPolicy, attempt: number, random: number): number {
  const backoff = policy.backoff ?? { kind: 'exponential' as const, delayMs: 1 * SECOND };
  if (backoff.kind === 'fixed') return backoff.delayMs;
  const capMs = backoff.capMs ?? 1 * HOUR;
  const full = Math.min(capMs, backoff.delayMs * 2 ** Math.min(attempt - 1, 40));
  const jitter = backoff.jitter ?? 0.2;
  return Math.round(full * (1 - jitter * random));
}
