import type { DatabaseError } from 'pg';
import { statementStarts } from './sql-statements.ts';

/**
 * Where in a script and why Postgres refused it: `:12:5: syntax error at or near "TABEL" (42601)`.
 *
 * @param completed How many statements of the script had gone through. Postgres gives a position for
 *   errors of its parser only; otherwise the place is the beginning of the statement.
 */
export function describeSqlError(error: DatabaseError, sql: string, completed: number): string {
  const { message, code, detail, hint, position } = error;
  const upTo = position === undefined ? sql.slice(0, statementStarts(sql)[completed]) : before(sql, Number(position));
  const more = [detail, hint].filter((text) => text !== undefined && text !== '').join(' ');
  return `:${placeOf(upTo)}: ${message} (${code})${more === '' ? '' : `. ${more}`}`;
}

/** Postgres counts characters from 1, JavaScript UTF-16 units from 0. */
function before(sql: string, position: number): string {
  return [...sql].slice(0, position - 1).join('');
}

/** Line and column, from 1, of the end of a text. */
function placeOf(text: string): string {
  const lines = text.split('\n');
  return `${lines.length}:${[...(lines.at(-1) ?? '')].length + 1}`;
}
