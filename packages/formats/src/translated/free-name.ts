/** The name, or the first of `name.2`, `name.3` and on that is not taken. */
export function freeName(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name;
  for (let count = 2; ; count++) if (!taken.has(`${name}.${count}`)) return `${name}.${count}`;
}
