import { words } from '../../words/index.ts';
import type { Forecast } from './answer.ts';

export interface Limit {
  runs: number;
  words: string;
}

const { limits: text } = words.forecast;

/** As many runs as may be at work at once: of the only pool, and of the key that was asked for. */
export function limitsOf({ pools, keyLimit }: Pick<Forecast, 'pools' | 'keyLimit'>, key: string | undefined): Limit[] {
  const [only] = pools;
  // Those of several pools would be sums of what does not add up.
  const ofPool = only && pools.length === 1 && only.capacity > 0 ? only : null;
  return [
    ...(ofPool ? [{ runs: ofPool.capacity, words: text.pool(ofPool.pool, ofPool.capacity) }] : []),
    ...(key === undefined || keyLimit === null ? [] : [{ runs: keyLimit, words: text.key(key, keyLimit) }]),
  ];
}
