export interface ShellLine {
  command: string;
  /** What cron writes to the command's standard input; undefined: nothing. */
  stdin?: string;
}

/**
 * Splits the rest of a schedule line at its first unescaped `%`: before it the command, after it standard input, in
 * which each further `%` is a newline. `\%` is a plain `%`, every other `\x` stays as it is (crontab(5), do_command.c).
 */
export function splitPercent(text: string): ShellLine {
  const cut = firstPercent(text);
  if (cut === undefined) return { command: unescapePercent(text) };
  const command = unescapePercent(text.slice(0, cut));
  const input = text.slice(cut + 1);
  return input === '' ? { command } : { command, stdin: endLine(inputLines(input)) };
}

function firstPercent(text: string): number | undefined {
  for (let index = 0; index < text.length; index++) {
    if (text[index] === '\\') index++;
    else if (text[index] === '%') return index;
  }
  return undefined;
}

function unescapePercent(text: string): string {
  return text.replace(/\\(.)/gs, (pair, char: string) => (char === '%' ? '%' : pair));
}

/** In standard input cron looks at each backslash anew, so that `\\%` is `\%` there. */
function inputLines(text: string): string {
  return text.replace(/\\%|%/g, (found) => (found === '%' ? '\n' : '%'));
}

function endLine(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`;
}

/** The reverse of `splitPercent`: a command and its standard input as a crontab writes them. */
export function joinPercent({ command, stdin }: ShellLine): string {
  const escaped = command.replaceAll('%', '\\%');
  if (stdin === undefined || stdin === '') return escaped;
  return `${escaped}%${stdin.replace(/\n$/, '').replaceAll('%', '\\%').replaceAll('\n', '%')}`;
}
