import { hasEnded, type Look, RUN_LOOKS, type RunState } from '../../states.ts';
import { words } from '../../words/index.ts';
import type { RunDescription } from './answer.ts';

const { run: text } = words;
type Attempt = RunDescription['attempts'][number];

export type TimedRun = Pick<
  RunDescription,
  'attempt' | 'attempts' | 'state' | 'startedAt' | 'finishedAt' | 'dueAt' | 'scheduledFor' | 'createdAt'
>;

/** `queued`: it could have begun. `pause`: between two tries; of earlier ones it is not known when the next could have begun. */
export type WaitKind = 'queued' | 'pause';

export interface Wait {
  kind: WaitKind;
  fromMs: number;
  toMs: number;
}

/** A try, and what was waited for it. */
export interface Row {
  /** Its number; null: it has not begun. */
  attempt: number | null;
  waits: readonly Wait[];
  /** Null: it has not begun. */
  bar: { fromMs: number; toMs: number; look: Look; isOpen: boolean } | null;
}

export interface Timeline {
  fromMs: number;
  toMs: number;
  /** Where now is, while it goes on; null: it is over. */
  nowMs: number | null;
  rows: readonly Row[];
}

const LOOK_OF: Readonly<Record<Attempt['outcome'], RunState>> = {
  failed: 'failed',
  timed_out: 'timed_out',
  lost: 'unknown',
  interrupted: 'cancelled',
};

/** How the end of an earlier try looks. */
export function attemptLook(outcome: Attempt['outcome']): Look {
  return { ...RUN_LOOKS[LOOK_OF[outcome]], words: text.outcomes[outcome] };
}

interface Tried {
  attempt: number;
  fromMs: number;
  toMs: number;
  look: Look;
  isOpen: boolean;
}

/** The tries of a run in time; null: it has not begun. */
export function timelineOf(run: TimedRun, now: number): Timeline | null {
  const tried = triedOf(run, now);
  const [first] = tried;
  if (!first) return null;
  const isOver = hasEnded(run.state);
  const dueMs = Date.parse(run.dueAt);
  const lastEnd = tried.at(-1)?.toMs ?? now;
  const waitsNext = !isOver && tried.every(({ isOpen }) => !isOpen);
  const rows = tried.map((each, index): Row => {
    const before = tried[index - 1];
    const isLast = index === tried.length - 1 && !waitsNext;
    const fromMs = before ? before.toMs : Math.min(firstDue(run, tried.length + Number(waitsNext)), each.fromMs);
    const waits = before
      ? waitsBetween(fromMs, each.fromMs, isLast ? dueMs : null)
      : [waited('queued', fromMs, each.fromMs)];
    return { attempt: each.attempt, waits: waits.filter(isSome), bar: each };
  });
  const next = { attempt: null, waits: waitsBetween(lastEnd, Math.max(now, dueMs), dueMs).filter(isSome), bar: null };
  return {
    fromMs: rows[0]?.waits[0]?.fromMs ?? first.fromMs,
    toMs: isOver ? lastEnd : Math.max(now, lastEnd, waitsNext ? dueMs : 0),
    nowMs: isOver ? null : now,
    rows: waitsNext ? [...rows, next] : rows,
  };
}

/** Since when it could have begun for the first time. A row is made before it is due, or long after, as by a backfill. */
function firstDue({ dueAt, scheduledFor, createdAt }: TimedRun, tries: number): number {
  return Math.max(Date.parse(tries === 1 ? dueAt : scheduledFor), Date.parse(createdAt));
}

function triedOf({ attempt, attempts, state, startedAt, finishedAt }: TimedRun, now: number): Tried[] {
  const earlier = attempts.flatMap((each): Tried[] => {
    if (each.startedAt === null) return [];
    const times = { fromMs: Date.parse(each.startedAt), toMs: Date.parse(each.finishedAt) };
    return [{ attempt: each.attempt, ...times, look: attemptLook(each.outcome), isOpen: false }];
  });
  const isThere = attempts.some((each) => each.attempt === attempt);
  if (attempt === 0 || startedAt === null || (isThere && !hasEnded(state))) return earlier;
  const fromMs = Date.parse(startedAt);
  const toMs = finishedAt === null ? Math.max(now, fromMs) : Date.parse(finishedAt);
  const last = { attempt, fromMs, toMs, look: RUN_LOOKS[state], isOpen: state === 'running' };
  return [...earlier.filter((each) => each.attempt !== attempt), last];
}

/** What lies between two tries. `dueMs`: when the later one could begin; null: not known. */
function waitsBetween(fromMs: number, toMs: number, dueMs: number | null): Wait[] {
  if (dueMs === null) return [waited('pause', fromMs, toMs)];
  const turn = Math.min(Math.max(dueMs, fromMs), toMs);
  return [waited('pause', fromMs, turn), waited('queued', turn, toMs)];
}

function waited(kind: WaitKind, fromMs: number, toMs: number): Wait {
  return { kind, fromMs, toMs };
}

function isSome({ fromMs, toMs }: Wait): boolean {
  return toMs > fromMs;
}
