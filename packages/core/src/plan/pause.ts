import { HOUR } from '../clock.ts';
import { isLost } from '../restored.ts';

export interface Pause {
  fromAt: Date;
  /** Null: until resumed. */
  untilAt: Date | null;
  note: string | null;
  /** Of the whole fleet, not of the task. Default false. */
  frozen?: boolean | undefined;
  /** The task is in the shadow of cron. Default false. */
  shadow?: boolean | undefined;
  /** Nobody knows yet whether what falls into it is to run: the reason of rows that are held. Default: it is known. */
  held?: string | undefined;
}

/** The reason of a row that a task in the shadow of cron has planned. */
export const IN_SHADOW = 'in the shadow of cron';

/** How a pause, a freeze or the shadow is worded in the ledger. */
export function restReason({ note, frozen, shadow, held }: Pause): string {
  if (held !== undefined) return held;
  if (shadow) return IN_SHADOW;
  return frozen ? frozenReason(note) : pausedReason(note);
}

/** The pause that an instant falls into. */
export function pauseAt(pauses: readonly Pause[], at: Date): Pause | undefined {
  return pauses.find((pause) => pause.fromAt <= at && (pause.untilAt === null || at < pause.untilAt));
}

/** What the reason of a row begins with that fell into a pause. */
export const PAUSED = 'paused';

/** How a pause is worded in the ledger. */
export function pausedReason(note: string | null): string {
  return note ? `${PAUSED}: ${note}` : PAUSED;
}

/** What the reason of a row begins with that fell into a freeze of the fleet. */
export const FROZEN = 'the fleet was frozen';

/** How a freeze is worded in the ledger. A time that was lost is kept as a freeze whose note says so. */
export function frozenReason(note: string | null): string {
  if (note !== null && isLost(note)) return note;
  return note ? `${FROZEN}: ${note}` : FROZEN;
}

/** The pause that a run has decided is kept so long after its end: who looks at older rows goes by what they say. */
export const DECIDED_KEPT_MS = 1 * HOUR;

/** Whether the reason of a row says that a run had decided that its task rests then. */
export function isDecidedPause(reason: string): boolean {
  return /^paused: run [0-9a-f-]{36} asked for /.test(reason);
}

/** How it is worded that a pool is paused. */
export function poolPausedReason(pool: string, note: string | null): string {
  return `the pool "${pool}" is paused${note ? `: ${note}` : ''}`;
}
