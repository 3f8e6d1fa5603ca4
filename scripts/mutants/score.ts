import type { Area } from './areas.ts';

export interface Score {
  area: Area;
  found: number;
  survived: number;
  /** Listed in equivalents.ts. */
  equivalent: number;
  /** They do not compile. */
  none: number;
  /** How many of the order are judged, or left out: the next run of a long one begins there. */
  next: number;
}

/** Of those that can be found; where there were none that is no good sign. */
function percentFound({ found, survived }: Score): number {
  return found + survived === 0 ? 0 : (100 * found) / (found + survived);
}

export function isGood(score: Score): boolean {
  return percentFound(score) >= score.area.percent;
}

export function scoreLine(score: Score): string {
  const { area, found, survived, equivalent, none, next } = score;
  if (found + survived === 0)
    return `${area.name}: nothing was judged; ${equivalent} equivalent, ${none} that do not compile, and --skip leaves out the others`;
  const percent = percentFound(score).toFixed(1);
  return `${area.name}: ${found} of ${found + survived} found (${percent} %, at least ${area.percent} %); besides ${equivalent} equivalent, ${none} that do not compile; go on with --skip ${next}`;
}
