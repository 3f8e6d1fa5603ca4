/** One turn of the probe: a bit of work that it wants to do at a certain time. Instants in epoch milliseconds. */
export interface Turn {
  /** When it asked to be woken. */
  dueMs: number;
  /** When the work was done. */
  doneMs: number;
  /** What the work took of a processor. */
  cpuMs: number;
}

/**
 * How fast time goes for processes on a machine that others use too: of ten seconds in which they get a quarter of what they
 * want of the processors, two and a half are fair. What the product promises in seconds is asked for in fair ones.
 */
export interface Pace {
  /** Fair milliseconds between two instants. */
  fairMs(fromMs: number, toMs: number): number;
  /** The instant by which so many fair milliseconds have passed. */
  after(fromMs: number, fairMs: number): number;
}

/** What a machine at rest may do to a turn: the timer, other programs' short work. It counts as none. */
const NOISE = 1.5;

/** Wall and fair time go on together from point to point, and as one before the first and after the last. */
interface Point {
  wallMs: number;
  fairMs: number;
}

/**
 * From what the probe has seen; without any turn all time is fair. `workMs`: the least that the work ever took of a processor; default:
 * in these turns.
 */
export function paceOf(turns: readonly Turn[], workMs = leastCpuMs(turns)): Pace {
  const points = pointsOf(turns, workMs);
  const fairAt = (ms: number) => along(points, 'wallMs', 'fairMs', ms);
  return {
    fairMs: (fromMs, toMs) => fairAt(toMs) - fairAt(fromMs),
    after: (fromMs, fairMs) => along(points, 'fairMs', 'wallMs', fairAt(fromMs) + fairMs),
  };
}

export function leastCpuMs(turns: readonly Turn[]): number {
  return turns.reduce((least, { cpuMs }) => Math.min(least, cpuMs), Number.POSITIVE_INFINITY);
}

/** Of turns in their order those that decide about the time from an instant on: the last one before it, and all after that. */
export function turnsSince<Given extends Turn>(turns: readonly Given[], fromMs: number): readonly Given[] {
  const before = turns.findLastIndex(({ doneMs }) => doneMs <= fromMs);
  return turns.slice(Math.max(0, before));
}

function pointsOf(turns: readonly Turn[], workMs: number): Point[] {
  const points: Point[] = [];
  let last: { doneMs: number; fairMs: number; rate: number } | undefined;
  for (const { dueMs, doneMs } of turns) {
    const tookMs = doneMs - dueMs;
    const rate = tookMs > workMs * NOISE ? workMs / tookMs : 1;
    // Between two turns: as in the better of them, so that one that was held up excuses its own time alone.
    const restMs = last === undefined ? 0 : (dueMs - last.doneMs) * Math.max(last.rate, rate);
    const fairMs = (last?.fairMs ?? dueMs) + restMs;
    last = { doneMs, fairMs: fairMs + tookMs * rate, rate };
    points.push({ wallMs: dueMs, fairMs }, { wallMs: doneMs, fairMs: last.fairMs });
  }
  return points;
}

/** The second figure where the first one is `value`. */
function along(points: readonly Point[], from: keyof Point, to: keyof Point, value: number): number {
  const next = firstBeyond(points, from, value);
  const [before, after] = [points[next - 1], points[next]];
  if (before === undefined || after === undefined) {
    const end = before ?? after;
    return end === undefined ? value : end[to] + value - end[from];
  }
  return before[to] + ((value - before[from]) / (after[from] - before[from])) * (after[to] - before[to]);
}

/** The place of the first point that lies beyond; the number of points, if none does. */
function firstBeyond(points: readonly Point[], key: keyof Point, value: number): number {
  let [low, high] = [0, points.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((points[middle]?.[key] ?? Number.POSITIVE_INFINITY) > value) high = middle;
    else low = middle + 1;
  }
  return low;
}
