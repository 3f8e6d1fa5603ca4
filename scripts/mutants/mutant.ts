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

/** A mutant by what its lines were and become, so that it is known again when lines move. White space does not count. */
export interface MutantLines {
  file: string;
  was: string;
  becomes: string;
}

export function mutate(source: string, { start, end, text }: Mutant): string {
  return source.slice(0, start) + text + source.slice(end);
}

export function linesOf(source: string, mutant: Mutant): MutantLines {
  const { start, end, text, file } = mutant;
  const from = source.lastIndexOf('\n', start - 1) + 1;
  const after = source.indexOf('\n', end);
  const to = after === -1 ? source.length : after;
  const was = source.slice(from, to);
  const becomes = source.slice(from, start) + text + source.slice(end, to);
  return { file, was: collapse(was), becomes: collapse(becomes) };
}

export function lineNumber(source: string, { start }: Mutant): number {
  return source.slice(0, start).split('\n').length;
}

/** What changes, as `diff` shows it. */
export function diffOf(source: string, mutant: Mutant): string {
  const { was, becomes } = linesOf(source, mutant);
  return `${mutant.file}:${lineNumber(source, mutant)} (${mutant.operator})\n  - ${was}\n  + ${becomes}`;
}

function collapse(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
