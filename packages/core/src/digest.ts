/**
 * How many durations fall into each bucket: bucket 0 is below a millisecond, bucket n from 1.1 ^ (n - 1) ms up to 1.1 ^ n. Digests of
 * several hours add up, and the same runs always make the same digest. `duration_bucket` in SQL makes them.
 */
export type DurationDigest = Readonly<Record<string, number>>;

/** Each bucket ends at so many times its start, so that a quantile is at most 5 % off. */
const RATIO = 1.1;

/**
 * The duration, in milliseconds, that this share of all does not exceed; `share` from 0 to 1. At most 5 % off; below a millisecond
 * it is 0. Null: there are none.
 */
export function quantileOf(digest: DurationDigest, share: number): number | null {
  const all = Object.values(digest).reduce((sum, count) => sum + count, 0);
  const rank = Math.max(1, Math.ceil(share * all));
  let passed = 0;
  for (const bucket of Object.keys(digest)
    .map(Number)
    .sort((a, b) => a - b)) {
    passed += digest[bucket] ?? 0;
    if (passed >= rank) return durationOf(bucket);
  }
  return null;
}

/** In the middle of the bucket, by ratio. */
function durationOf(bucket: number): number {
  return bucket === 0 ? 0 : RATIO ** (bucket - 0.5);
}
