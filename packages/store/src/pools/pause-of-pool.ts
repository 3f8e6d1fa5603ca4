/** A pool is paused at this moment. `pool`: an alias with the columns of `pool`. */
export const restsNow = (pool: string): string =>
  `(${pool}.paused_from <= now() AND (${pool}.paused_until IS NULL OR now() < ${pool}.paused_until))`;

/**
 * The row's pool is paused at this moment. `of`: an alias with `namespace` and `pool`. Postgres reads the few paused pools
 * once for a statement, not once for each row.
 */
export const isInPausedPool = (of: string): string =>
  `((${of}.namespace, ${of}.pool) IN (SELECT resting.namespace, resting.name FROM pool resting WHERE ${restsNow('resting')}))`;

/** Why: the note of the pause, empty where it has none; null: the pool is not paused. */
export const poolPauseNote = (of: string): string =>
  `(SELECT coalesce(resting.pause_note, '') FROM pool resting
    WHERE resting.namespace = ${of}.namespace AND resting.name = ${of}.pool AND ${restsNow('resting')})`;
