import { SECOND } from '../clock.ts';

/** A time in which nobody could take pings: no API was there, or no Postgres. */
export interface IntakeGap {
  from: Date;
  until: Date;
}

/** Whether pings could be taken. */
export interface PingIntake {
  /** When an API last said that it takes pings. Null: none ever did, and nothing is known of that. */
  lastOpenAt: Date | null;
  /** The last time in which none did and a monitor waited for a ping; several, where its grace did not suffice in between. Null: there was none. */
  gap: IntakeGap | null;
}

/** So often an API says that it takes pings. What is missing is told of so much later at most. */
export const INTAKE_MS = 1 * SECOND;
/** Who pings asks again for so long (`curl --retry 5 --retry-connrefused`): in a shorter time no ping is lost. */
export const MIN_GAP_MS = 30 * SECOND;

/** When it counts that nothing has come by an instant. What was already wrong when nobody could take pings stays so; all else has its grace anew. */
export function graceAfter(
  atMs: number,
  graceMs: number,
  { gap }: PingIntake,
): { atMs: number; gap: IntakeGap | null } {
  const graceEndsMs = gap && atMs > gap.from.getTime() ? gap.until.getTime() + graceMs : atMs;
  return graceEndsMs > atMs ? { atMs: graceEndsMs, gap } : { atMs, gap: null };
}
