export type Level = 'debug' | 'info' | 'warn' | 'error';

export interface LogLine {
  /** From 0, over all tries. */
  at: number;
  attempt: number;
  text: string;
  /** The same in small letters, to be searched. */
  lower: string;
  /** That the line names itself. */
  level: Level | null;
  /** The same, or that of the line above, as for a stack. */
  heldLevel: Level | null;
}

/** The lowest first. */
export const LEVELS: readonly Level[] = ['debug', 'info', 'warn', 'error'];

const HEIGHT: Readonly<Record<Level, number>> = { debug: 0, info: 1, warn: 2, error: 3 };

/** Where a level stands in a line: at its beginning, behind a time. */
const LEVEL = /^.{0,48}?\b(debug|info|warn|error|fatal)\b/i;
/** More is cut off: a line of a megabyte would hold the page up. */
const LONGEST = 10_000;

export function levelOf(text: string): Level | null {
  const found = LEVEL.exec(text)?.[1]?.toLowerCase();
  return found === 'fatal' ? 'error' : ((found as Level | undefined) ?? null);
}

/** Whether a line is of a level or a higher one. */
export function isAtLeast({ heldLevel }: LogLine, wanted: Level): boolean {
  return heldLevel !== null && HEIGHT[heldLevel] >= HEIGHT[wanted];
}

/** Where the next error begins behind a line, by its place among these; behind the last one the first again. -1: there is none. */
export function nextError(lines: readonly LogLine[], behind: number): number {
  const begins = ({ level }: LogLine, index: number) => level === 'error' && lines[index - 1]?.level !== 'error';
  const next = lines.findIndex((line, index) => line.at > behind && begins(line, index));
  return next >= 0 ? next : lines.findIndex(begins);
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
      if (this.#isOpen && last?.attempt === attempt) this.#put(last.at, attempt, last.text + first);
      else this.#put(this.#lines.length, attempt, first);
    }
    for (const text of others) this.#put(this.#lines.length, attempt, text);
    this.#isOpen = !endsLine;
  }
  #put(at: number, attempt: number, text: string): void {
    const short = text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
    const level = levelOf(short);
    const above = this.#lines[at - 1];
    const heldLevel = level ?? (above?.attempt === attempt ? above.heldLevel : null);
    this.#lines[at] = { at, attempt, text: short, lower: short.toLowerCase(), level, heldLevel };
  }
}
