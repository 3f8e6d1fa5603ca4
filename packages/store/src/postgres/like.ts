/** A pattern of SQL for text that means itself. */
export function escapeLike(text: string): string {
  return text.replaceAll(/[\\%_]/g, '\\$&');
}

/** The same for a name in which `*` stands for anything. */
export function toLike(pattern: string): string {
  return escapeLike(pattern).replaceAll('*', '%');
}
