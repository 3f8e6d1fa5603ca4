import { EscapementError } from '@escapement/core';
import { isPassingError } from './database.ts';
import type { RefusedAt } from './refusal.ts';

/**
 * Says in a sentence, with what helps, why Postgres could not carry out a statement though it was asked rightly: it is a standby, a
 * lock or the statement took too long, there is no room. Undefined for any other error. For a program that does not try again by
 * itself; of a statement whose answer says so nothing was done.
 */
export function explainHindrance(
  error: unknown,
  { url, from = 'DATABASE_URL' }: RefusedAt,
): EscapementError | undefined {
  if (!(error instanceof Error) || error instanceof EscapementError || !isPassingError(error)) return undefined;
  const at = `Postgres at ${URL.canParse(url) ? new URL(url).host : '(no valid URL)'}`;
  const code = 'code' in error ? String(error.code) : '';
  if (code === READ_ONLY)
    return new EscapementError('database_read_only', `${at} can be read, but not written to: ${error.message}`, {
      fix: `name the primary in ${from}; a standby serves what only shows something`,
      cause: error,
    });
  return new EscapementError('database_busy', `${at} could not do this now: ${error.message}`, {
    fix: fixOf(code),
    cause: error,
  });
}

/** What a standby says (read_only_sql_transaction). */
const READ_ONLY = '25006';

/** See "PostgreSQL Error Codes", an appendix of its documentation. */
function fixOf(code: string): string {
  if (code === '57014') return 'ask for less, or give it more time: ESCAPEMENT_STATEMENT_TIMEOUT_MS';
  if (code === '55P03') return 'somebody holds a lock that this needs (`doctor` names long transactions); try again';
  if (code === '53300') return 'too many are connected: try again, or raise max_connections';
  if (code.startsWith('53')) return 'give it more disk or memory, and try again';
  return 'try again in a moment';
}
