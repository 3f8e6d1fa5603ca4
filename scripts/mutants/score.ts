import type { Area } from './areas.ts';
import type { Verdict } from './hunt.ts';

export type Outcome = Verdict['kind'] | 'equivalent' | 'stale';

export interface Score {
  area: Area;
  found: number;
  survived: number;
  /** A marker says so, and no test contradicts it. */
  equivalent: number;
  /** A marker calls them equivalent, and a test finds them. */
  stale: number;
  /** They do not compile. */
  none: number;
  /** How many of the order are judged, or left out: the next run of a long one begins there. */
  next: number;
}

/** What a verdict means for a mutant that a marker may call equivalent. */
export function outcomeOf({ kind }: Verdict, isMarked: boolean): Outcome {
  if (!isMarked || kind === 'none') return kind;
  return kind === 'found' ? 'stale' : 'equivalent';
}

/** Of those that can be found; where there were none that is no good sign. */
function percentFound({ found, survived }: Score): number {
  return found + survived === 0 ? 0 : (100 * found) / (found + survived);
}

export function isGood(score: Score): boolean {
  return percentFound(score) >= score.area.percent && score.stale === 0;
}

export function scoreLine(score: Score): string {
  const { area, found, survived, equivalent, stale, none, next } = score;
  const besides = `${equivalent} equivalent, ${stale} with a stale marker, ${none} that do not compile`;
  if (found + survived === 0) return `${area.name}: nothing was judged; ${besides}, and --skip leaves out the others`;
  const percent = percentFound(score).toFixed(1);
  return `${area.name}: ${found} of ${found + survived} found (${percent} %, at least ${area.percent} %); besides ${besides}; go on with --skip ${next}`;
}
