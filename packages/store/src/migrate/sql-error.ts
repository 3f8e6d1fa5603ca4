import type { DatabaseError } from 'pg';

/** Where in a script and why Postgres refused it: `:12:5: syntax error at or near "TABEL" (42601)`. */
export function describeSqlError(error: DatabaseError, sql: string): string {
  const { message, code, detail, hint, position } = error;
  const place = position === undefined ? '' : `:${placeOf(sql, Number(position))}`;
  const more = [detail, hint].filter((text) => text !== undefined && text !== '').join(' ');
  return `${place}: ${message} (${code})${more === '' ? '' : `. ${more}`}`;
}

/** Line and column, from 1, of Postgres' position, which counts characters from 1. */
export function placeOf(sql: string, position: number): string {
  const lines = [...sql]
    .slice(0, position - 1)
    .join('')
    .split('\n');
  return `${lines.length}:${[...(lines.at(-1) ?? '')].length + 1}`;
}
