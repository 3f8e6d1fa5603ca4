/**
 * A process lives: it has not shut down, and has sent a heartbeat within `withinMs`, an expression in milliseconds.
 * `process`: an alias with the columns of `process`. The one bound of silence: who is not heard for the lease time is dead.
 */
export const isLive = (process: string, withinMs: string): string =>
  `(${process}.stopped_at IS NULL AND ${process}.heartbeat_at > now() - ${withinMs} * interval '1 ms')`;
