/** One small fault, put into one file. */
export interface Mutant {
  /** From the repository's root. */
  file: string;
  operator: string;
  /** Where the text stands that is replaced. */
  start: number;
  end: number;
  text: string;
  /** It stands in SQL or Lua, which the compiler of TypeScript does not read. */
  isForeign?: boolean;
}

export function mutate(source: string, { start, end, text }: Mutant): string {
  return source.slice(0, start) + text + source.slice(end);
}

export function lineNumber(source: string, { start }: Mutant): number {
  return source.slice(0, start).split('\n').length;
}

/** What changes, as `diff` shows it. */
export function diffOf(source: string, mutant: Mutant): string {
  const { file, operator, start, end, text } = mutant;
  const from = source.lastIndexOf('\n', start - 1) + 1;
  const after = source.indexOf('\n', end);
  const to = after === -1 ? source.length : after;
  const was = collapse(source.slice(from, to));
  const becomes = collapse(source.slice(from, start) + text + source.slice(end, to));
  return `${file}:${lineNumber(source, mutant)} (${operator})\n  - ${was}\n  + ${becomes}`;
}

function collapse(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
