/**
 * An index by origin, or by the words of errors, would be one entry more for each run. So this many runs that meet the other bounds are
 * looked through, the latest first.
 */
export const LOOKED_THROUGH = 20_000;

export interface Sql {
  text: string;
  values: unknown[];
}

/** Runs `l` with a `share_of`: of each share at most so many. */
export interface LookedThrough extends Sql {
  share: string;
}
