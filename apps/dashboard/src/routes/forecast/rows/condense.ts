import type { Past, Rows } from './totals.ts';
import { pastOf } from './totals.ts';

/** The same with at most so many pieces on each side: some that follow each other become one. */
export function condense(of: Rows, most: number): Rows {
  const { past, ahead } = of;
  const [ofPast, ofAhead] = [groups(past, most, 'end'), groups(ahead, most, 'start')];
  return {
    ...of,
    past: ofPast.flatMap(({ from }) => past[from] ?? []),
    ahead: ofAhead.flatMap(({ from }) => ahead[from] ?? []),
    rows: of.rows.map((row) => ({
      ...row,
      past: ofPast.map(({ from, to }): Past => pastOf({ ...row, past: row.past.slice(from, to) })),
      ahead: row.ahead && ofAhead.map(({ from, to }) => sum(row.ahead?.slice(from, to) ?? [])),
    })),
  };
}

/** Equally many each, but for those that are farthest from now. */
function groups(pieces: readonly unknown[], most: number, now: 'start' | 'end'): { from: number; to: number }[] {
  const each = Math.max(1, Math.ceil(pieces.length / most));
  const first = now === 'end' ? pieces.length % each : 0;
  const starts = pieces.map((_, index) => index).filter((index) => index === 0 || (index - first) % each === 0);
  return starts.map((from, index) => ({ from, to: starts[index + 1] ?? pieces.length }));
}

const sum = (counts: readonly number[]): number => counts.reduce((total, each) => total + each, 0);
