export type Level = 'debug' | 'info' | 'warn' | 'error';

export interface LogLine {
  /** From 0, over all tries. */
  at: number;
  attempt: number;
  text: string;
  level: Level | null;
}

/** Where a level stands in a line: at its beginning, behind a time. */
const LEVEL = /^.{0,48}?\b(debug|info|warn|error|fatal)\b/i;
/** More is cut off: a line of a megabyte would hold the page up. */
const LONGEST = 10_000;

export function levelOf(text: string): Level | null {
  const found = LEVEL.exec(text)?.[1]?.toLowerCase();
  return found === 'fatal' ? 'error' : ((found as Level | undefined) ?? null);
}

/** The lines of a log that comes in pieces, each of which may end in the middle of a line. */
export class LogLines {
  readonly #lines: LogLine[] = [];
  #isOpen = false;

  get all(): readonly LogLine[] {
    return this.#lines;
  }

  add(attempt: number, piece: string): void {
    const parts = piece.split('\n');
    const endsLine = parts.at(-1) === '';
    if (endsLine) parts.pop();
    const last = this.#lines.at(-1);
    const [first, ...others] = parts;
    if (first !== undefined) {
      if (this.#isOpen && last?.attempt === attempt) this.#lines[last.at] = lineOf(last.at, attempt, last.text + first);
      else this.#lines.push(lineOf(this.#lines.length, attempt, first));
    }
    for (const text of others) this.#lines.push(lineOf(this.#lines.length, attempt, text));
    this.#isOpen = !endsLine;
  }
}

function lineOf(at: number, attempt: number, text: string): LogLine {
  const short = text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
  return { at, attempt, text: short, level: levelOf(short) };
}
