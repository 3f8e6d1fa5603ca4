import { RUN_LOOKS, type RunState, type Tone } from '../../states.ts';

/** A run as a bar shows it. */
export interface BarRun {
  id: string;
  state: RunState;
  durationMs: number | null;
}

/** What a bar has below it, and how it is drawn: states are told apart without their colour. */
export type BarShape = 'solid' | 'crossed' | 'dotted' | 'hollow' | 'gap' | 'open';

export interface Bar {
  run: BarRun;
  shape: BarShape;
  tone: Tone;
  /** From the left. */
  x: number;
  height: number;
}

/** So many runs have a place. */
export const MOST_BARS = 30;
export const PITCH = 7;
export const TALLEST = 18;
/** Below the bars is a strip for marks. */
export const MARKS = 7;
const BAR = PITCH - 2;
const SHORTEST = 3;
/** Of one that has not run, or runs yet: its height says nothing. */
const WITHOUT_DURATION = 8;

/** The bars of the latest runs, the latest at the right. The highest is the longest of them. */
export function barsOf(latestFirst: readonly BarRun[]): Bar[] {
  const shown = latestFirst.slice(0, MOST_BARS);
  const longestMs = longestOf(shown);
  return shown.map((run, index) => ({
    run,
    shape: shapeOf(run.state),
    tone: RUN_LOOKS[run.state].tone,
    x: (MOST_BARS - 1 - index) * PITCH,
    height: heightOf(run.durationMs, longestMs),
  }));
}

/** What is filled, what is lined and what is marked of all bars of a tone, each as the data of one path: a table has thousands of bars. */
export interface Drawing {
  full: string;
  line: string;
  mark: string;
}

export function drawingsOf(bars: readonly Bar[]): [Tone, Drawing][] {
  const drawings = new Map<Tone, Drawing>();
  for (const bar of bars) {
    const { full, line, mark } = drawings.get(bar.tone) ?? { full: '', line: '', mark: '' };
    const more = drawingOf(bar);
    drawings.set(bar.tone, {
      full: full + (more.full ?? ''),
      line: line + (more.line ?? ''),
      mark: mark + (more.mark ?? ''),
    });
  }
  return [...drawings];
}

function drawingOf({ shape, x, height }: Bar): Partial<Drawing> {
  const bar = `M${x} ${TALLEST - height}h${BAR}v${height}h${-BAR}z`;
  const [left, right, top, bottom] = [x + 0.5, x + BAR - 0.5, TALLEST + 2, TALLEST + MARKS - 1];
  switch (shape) {
    case 'gap':
      return { line: `M${x} ${bottom - 1.5}h${BAR}` };
    case 'hollow':
      return { line: `M${left} ${TALLEST - 7.5}h${BAR - 1}v7h${1 - BAR}z` };
    case 'open':
      return { line: `M${left} ${TALLEST}V4M${right} ${TALLEST}V4` };
    case 'crossed':
      return { full: bar, mark: `M${left} ${top}L${right} ${bottom}M${right} ${top}L${left} ${bottom}` };
    case 'dotted':
      return { full: `${bar}${dotAt(x + BAR / 2, (top + bottom) / 2)}` };
    case 'solid':
      return { full: bar };
  }
}

function dotAt(x: number, y: number): string {
  return `M${x - 1.8} ${y}a1.8 1.8 0 1 0 3.6 0a1.8 1.8 0 1 0 -3.6 0z`;
}

export function longestOf(runs: readonly BarRun[]): number {
  return Math.max(0, ...runs.map(({ durationMs }) => durationMs ?? 0));
}

/** How many there are of each state, the most first. */
export function countsOf(runs: readonly BarRun[]): [RunState, number][] {
  const counts = new Map<RunState, number>();
  for (const { state } of runs) counts.set(state, (counts.get(state) ?? 0) + 1);
  return [...counts].sort(([, one], [, other]) => other - one);
}

function heightOf(durationMs: number | null, longestMs: number): number {
  if (durationMs === null || longestMs === 0) return WITHOUT_DURATION;
  return Math.max(SHORTEST, Math.round((TALLEST * durationMs) / longestMs));
}

function shapeOf(state: RunState): BarShape {
  const { tone, hollow = false } = RUN_LOOKS[state];
  if (state === 'missed') return 'gap';
  if (state === 'running') return 'open';
  if (hollow || state === 'cancelled') return 'hollow';
  if (tone === 'bad') return 'crossed';
  return tone === 'good' ? 'solid' : 'dotted';
}
