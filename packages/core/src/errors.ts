import { type ErrorCode, errorFacts, type ReportedCode } from './error-codes/error-codes.ts';

/** What is wrong with one of several values that were given, and which one: `tasks.3`. */
export interface WrongValue {
  path: string;
  message: string;
}

/**
 * An error a user caused or can mend. `message` says what happened and with which value;
 * `fix` says what is allowed or what to do. Programs print it without a stack.
 */
export class EscapementError extends Error {
  override readonly name: string = 'EscapementError';
  /** Stable, for programs: `unknown_zone`, `json_too_large`, ... docs/reference/errors.md lists all. */
  readonly code: ErrorCode | ReportedCode;
  /** What is allowed, or the next step. */
  readonly fix: string | undefined;
  /** Each value that is wrong, where a request has had several. */
  readonly values: readonly WrongValue[];

  constructor(
    code: ErrorCode | ReportedCode,
    message: string,
    options: { fix?: string; cause?: unknown; values?: readonly WrongValue[] } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.fix = options.fix;
    this.values = options.values ?? [];
  }
}

/** What programs end with where it is the user's to mend; the command line has more (docs/reference/cli.md). */
export const USER_EXIT = {
  /** The configuration, the command line or a value in it is wrong. */
  usage: 2,
  /** Postgres or Redis cannot be reached, refuses the user, the database lacks migrations, or is too new for this program. */
  unreachable: 3,
} as const;

/** Whether an error is about a server that cannot be used. */
export function isServerProblem({ code }: EscapementError): boolean {
  return errorFacts(code)?.exit === USER_EXIT.unreachable;
}

/** Thrown by a handler: do not try again. */
export class FatalError extends Error {
  override readonly name = 'FatalError';
}

/** Thrown by a handler: try again at the given instant, or after the given milliseconds; after 30 days at most. */
export class RetryAfter extends Error {
  override readonly name = 'RetryAfter';
  readonly at: Date | number;

  constructor(at: Date | number, message = 'asked to be retried later') {
    super(message);
    this.at = at;
  }
}

/** Thrown by a handler: there is nothing to do. The run ends as `skipped` with this reason. */
export class Skip extends Error {
  override readonly name = 'Skip';
}

/** More letters than that are another word, however long it is; and each one costs time, of hundreds of candidates. */
const MOST_DIFFERENT = 4;

/** The candidate nearest to a mistyped word, or undefined when none is near enough to suggest. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  let limit = Math.min(MOST_DIFFERENT, Math.max(2, Math.floor(word.length / 3)));
  const asked = word.toLowerCase();
  let best: string | undefined;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - word.length) > limit) continue;
    const distance = editDistance(asked, candidate.toLowerCase(), limit);
    if (distance > limit) continue;
    best = candidate;
    limit = distance - 1;
  }
  return best;
}

/** Two rows of the table of distances; made once, as hundreds of candidates are compared for one word. */
let rows: [Uint16Array, Uint16Array] = [new Uint16Array(64), new Uint16Array(64)];

/** What is more than the limit is not counted out: of hundreds of candidates hardly one is near. */
function editDistance(a: string, b: string, limit: number): number {
  if (b.length >= rows[0].length) rows = [new Uint16Array(b.length + 1), new Uint16Array(b.length + 1)];
  let [previous, row] = rows;
  for (let j = 0; j <= b.length; j++) previous[j] = j;
  for (let i = 1; i <= a.length; i++) {
    row[0] = i;
    let least = i;
    for (let j = 1; j <= b.length; j++) {
      const same = a.charCodeAt(i - 1) === b.charCodeAt(j - 1);
      const left = Math.min(previous[j] ?? 0, row[j - 1] ?? 0) + 1;
      const distance = Math.min((previous[j - 1] ?? 0) + (same ? 0 : 1), left);
      row[j] = distance;
      if (distance < least) least = distance;
    }
    if (least > limit) return least;
    [previous, row] = [row, previous];
  }
  return previous[b.length] ?? 0;
}
