export interface Pause {
  fromAt: Date;
  /** Null: until resumed. */
  untilAt: Date | null;
  note: string | null;
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

/** How it is worded that a pool is paused. */
export function poolPausedReason(pool: string, note: string | null): string {
  return `the pool "${pool}" is paused${note ? `: ${note}` : ''}`;
}
