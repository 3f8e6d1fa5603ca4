/**
 * An error a user caused or can mend. `message` says what happened and with which value;
 * `fix` says what is allowed or what to do. Programs print it without a stack.
 */
export class EscapementError extends Error {
  override readonly name: string = 'EscapementError';
  /** Stable, for programs: `unknown_zone`, `payload_too_large`, ... */
  readonly code: string;
  /** What is allowed, or the next step. */
  readonly fix: string | undefined;

  constructor(code: string, message: string, options: { fix?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.fix = options.fix;
  }
}

/** What programs end with where it is the user's to mend; the command line has more (docs/reference/cli.md). */
export const USER_EXIT = {
  /** The configuration, the command line or a value in it is wrong. */
  usage: 2,
  /** Postgres or Redis cannot be reached, refuses the user, or the database lacks migrations. */
  unreachable: 3,
} as const;

const SERVER_CODES: ReadonlySet<string> = new Set([
  'database_unreachable',
  'database_pools_transactions',
  'database_refused',
  'database_rights',
  'redis_refused',
  'redis_unreachable',
  'missing_migrations',
  'no_database',
  'no_database_named',
]);

/** Whether an error is about a server that cannot be used, by its code. */
export function isServerProblem({ code }: EscapementError): boolean {
  return SERVER_CODES.has(code);
}

/** Thrown by a handler: do not try again. */
export class FatalError extends Error {
  override readonly name = 'FatalError';
}

/** Thrown by a handler: try again at the given instant, or after the given milliseconds. */
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

/** The candidate nearest to a mistyped word, or undefined when none is near enough to suggest. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  let limit = Math.max(2, Math.floor(word.length / 3));
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

/** What is more than the limit is not counted out: of hundreds of candidates hardly one is near. */
function editDistance(a: string, b: string, limit: number): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    let least = i;
    for (let j = 1; j <= b.length; j++) {
      const substitution = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const distance = Math.min(substitution, (previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1);
      row.push(distance);
      least = Math.min(least, distance);
    }
    if (least > limit) return least;
    previous = row;
  }
  return previous[b.length] ?? 0;
}
