import { plain } from './bounded.ts';

/** Which lines of a log are wanted. */
export interface LinesAsked {
  /** How many at most. */
  lines: number;
  /** The first of them, from 1 on. Undefined: the last ones. */
  fromLine?: number | undefined;
}

/** Lines of a log. */
export interface LogLines {
  text: string;
  /** Number of the first line of `text`; 0: there is none. */
  fromLine: number;
  /** Number of the last. */
  toLine: number;
  totalLines: number;
  /** How many lines come before `text`. */
  skippedLines: number;
  /** How many come behind it. */
  linesAfter: number;
}

/** Characters of all lines together, and of one. */
const MOST_TEXT = 20_000;
const MOST_LINE = 2000;

/** Reads a log to its end. Keeps no more of it than fits into an answer. */
export async function logLines(log: AsyncIterable<string>, { lines, fromLine }: LinesAsked): Promise<LogLines> {
  const kept: Kept = { lines: [], first: 0, characters: 0, isFull: false };
  let total = 0;
  for await (const line of linesOf(log)) {
    total += 1;
    if (fromLine === undefined) keepLast(kept, line, { total, lines });
    else if (total >= fromLine) keepFirst(kept, line, { total, lines });
  }
  const toLine = kept.lines.length === 0 ? 0 : kept.first + kept.lines.length - 1;
  return {
    text: kept.lines.join('\n'),
    ...{ fromLine: kept.first, toLine, totalLines: total },
    skippedLines: toLine === 0 ? total : kept.first - 1,
    linesAfter: toLine === 0 ? 0 : total - toLine,
  };
}

interface Kept {
  lines: string[];
  /** Number of the first. */
  first: number;
  characters: number;
  isFull: boolean;
}

function keep(kept: Kept, line: string, number: number): void {
  if (kept.lines.length === 0) kept.first = number;
  kept.lines.push(line);
  kept.characters += line.length + 1;
}

/** The earlier ones go as later ones come. */
function keepLast(kept: Kept, line: string, { total, lines }: { total: number; lines: number }): void {
  keep(kept, line, total);
  while (kept.lines.length > 1 && (kept.lines.length > lines || kept.characters > MOST_TEXT)) {
    kept.characters -= (kept.lines.shift() ?? '').length + 1;
    kept.first += 1;
  }
}

/** Those that do not fit any more are left out, and all behind them. */
function keepFirst(kept: Kept, line: string, { total, lines }: { total: number; lines: number }): void {
  kept.isFull ||= kept.lines.length === lines || kept.characters + line.length > MOST_TEXT;
  if (!kept.isFull) keep(kept, line, total);
}

/** The lines of a text that comes in pieces; of one that is too long its beginning. */
async function* linesOf(log: AsyncIterable<string>): AsyncGenerator<string> {
  let [line, length] = ['', 0];
  const add = (piece: string) => {
    line += piece.slice(0, Math.max(0, MOST_LINE - line.length));
    length += piece.length;
  };
  const whole = () => {
    const shown = plain(line.replace(/\r$/, ''));
    return length > line.length ? `${shown}… (${length} characters)` : shown;
  };
  for await (const piece of log) {
    const parts = piece.split('\n');
    for (const [index, part] of parts.entries()) {
      add(part);
      if (index === parts.length - 1) continue;
      yield whole();
      [line, length] = ['', 0];
    }
  }
  if (length > 0) yield whole();
}
