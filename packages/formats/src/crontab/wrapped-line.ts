import { guardedStart } from './guarded-start.ts';

/** Up to the command: schedule, user if there is one, flags of the BSDs. */
const HEAD = (system: boolean) =>
  new RegExp(
    `^([ \\t]*-?(?:@[^ \\t]+|(?:[^ \\t]+[ \\t]+){4}[^ \\t]+)[ \\t]+${system ? '[^ \\t]+[ \\t]+' : ''}(?:-[nqs]+[ \\t]+)*)(.*)$`,
    's',
  );

/** A command in single quotes behind `report --line ID --`. What comes before that is how the program is started. */
const WRAPPED = / report --line ([0-9a-f]{12}(?:-[0-9]{1,4})?) -- '((?:[^']|'\\'')*)'/;

/** A command behind `report --line ID --` that is wrapped in no way of ours. */
const WRAPPED_BY_HAND = /\sreport\s+--line(?:=|\s+)(\S+)\s+--(?=\s)/;

/** The id under which a command reports that somebody has wrapped by hand; undefined: it is not wrapped. */
export function idByHand(command: string): string | undefined {
  return WRAPPED_BY_HAND.exec(command)?.[1];
}

/** A line whose start and end are reported. */
export interface WrappedLine {
  id: string;
  /** The line as it was. */
  plain: string;
}

export interface Wrapping {
  id: string;
  /** How a shell starts the program; what looks whether it is there comes before it. */
  program: string;
  system: boolean;
}

/** The line with its command wrapped; undefined: it has none. Input of the command, and blanks at the end, stay as they are. */
export function wrapLine(text: string, { id, program, system }: Wrapping): string | undefined {
  const [, head, rest] = HEAD(system).exec(text) ?? [];
  if (head === undefined || rest === undefined) return undefined;
  const end = endOfCommand(rest);
  const command = rest.slice(0, end).replace(/[ \t\r]+$/, '');
  if (command === '') return undefined;
  const quoted = command.replaceAll("'", "'\\''");
  return `${head}${guardedStart(program).replaceAll('%', '\\%')} report --line ${id} -- '${quoted}'${rest.slice(command.length)}`;
}

/** What was wrapped, taken apart; undefined: the line is not wrapped. */
export function unwrapLine(text: string, system: boolean): WrappedLine | undefined {
  const [, head, rest] = HEAD(system).exec(text) ?? [];
  const found = rest === undefined ? null : WRAPPED.exec(rest);
  if (head === undefined || rest === undefined || !found) return undefined;
  const [whole, id = '', quoted = ''] = found;
  return { id, plain: `${head}${quoted.replaceAll("'\\''", "'")}${rest.slice(found.index + whole.length)}` };
}

/** How long the command is for cron, its input included. In characters of a text that has one for each byte. */
export function commandLength(text: string, system: boolean): number {
  return HEAD(system).exec(text)?.[2]?.length ?? 0;
}

/** The first `%` that stands for itself ends it (crontab(5)). */
function endOfCommand(text: string): number {
  for (let index = 0; index < text.length; index++) {
    if (text[index] === '\\') index++;
    else if (text[index] === '%') return index;
  }
  return text.length;
}
