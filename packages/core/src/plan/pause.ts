export interface Pause {
  fromAt: Date;
  /** Null: until resumed. */
  untilAt: Date | null;
  note: string | null;
  /** Of the whole fleet, not of the task. Default false. */
  frozen?: boolean | undefined;
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

/** How a freeze is worded in the ledger. */
export function frozenReason(note: string | null): string {
  return note ? `${FROZEN}: ${note}` : FROZEN;
}

/** How it is worded that a pool is paused. */
export function poolPausedReason(pool: string, note: string | null): string {
  return `the pool "${pool}" is paused${note ? `: ${note}` : ''}`;
}
