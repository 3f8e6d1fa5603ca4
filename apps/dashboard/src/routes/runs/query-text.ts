/** The terms of a query, as they stand: a quoted value may have spaces in it. */
export function termsOf(query: string): string[] {
  return query.match(/(?:[^\s"]|"(?:[^"\\]|\\.)*"?)+/g) ?? [];
}

/** A query with another term of a name, or without one: `state:failed`. */
export function withTerm(query: string, name: string, value: string | null): string {
  const others = termsOf(query).filter((term) => !term.startsWith(`${name}:`));
  return [...others, ...(value === null ? [] : [`${name}:${value}`])].join(' ');
}

/** The value of the term of a name; null: there is none. */
export function termIn(query: string, name: string): string | null {
  const term = termsOf(query).find((each) => each.startsWith(`${name}:`));
  return term === undefined ? null : term.slice(name.length + 1);
}

/** The term at a place of a query, for completion: where it begins, and what of it stands before the place. */
export function termAt(query: string, place: number): { start: number; text: string } {
  const before = query.slice(0, place);
  const start = before.search(/\S*$/);
  return { start, text: before.slice(start) };
}
