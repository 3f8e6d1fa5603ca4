import { EscapementError } from '@escapement/core';
import { lineIds } from './line-ids.ts';
import { parseCrontab } from './parse.ts';
import { toTask } from './to-task.ts';
import { commandLength, unwrapLine, wrapLine } from './wrapped-line.ts';

export interface PatchOptions {
  /** As in the import: part of the ids. */
  source: string;
  /** With a user column. */
  system: boolean;
  /** Whose crontab it is, as in the import: part of the ids. Only without `system`. */
  user?: string | undefined;
  /** How a shell starts the command line. */
  program: string;
}

export interface PatchedLine {
  line: number;
  /** Null: it is left as it is. */
  id: string | null;
  /** `kept`: it was wrapped before. `left`: the import refuses it, so that it has no task. */
  action: 'wrapped' | 'kept' | 'left';
}

export interface Patched {
  text: Buffer;
  lines: PatchedLine[];
}

/** What Debian's cron takes (MAX_COMMAND), its end included; a longer one makes it refuse the whole file. */
const MOST_COMMAND = 998;

/**
 * The crontab with each command that has a task wrapped in `report`. What is wrapped already, in whole or in part, is made anew. Lines end as
 * they did, and bytes that are no UTF-8 stay. Throws `command_too_long` for lines that cron would refuse then. Pure.
 */
export function patchCrontab(given: Buffer, options: PatchOptions): Patched {
  const plain = takenApart(given, options.system).map((line) => line.plain);
  const read = readLines(plain, options);
  const tooLong: number[] = [];
  const lines: PatchedLine[] = [];
  const texts = plain.map((text, index) => {
    const number = index + 1;
    const id = read.ids.get(number);
    if (id === undefined) return text;
    const wrapped = read.refused.has(number) ? undefined : wrapLine(text, { ...options, id });
    if (wrapped === undefined || unwrapLine(wrapped, options.system)?.plain !== text) {
      lines.push({ line: number, id: null, action: 'left' });
      return text;
    }
    if (commandLength(wrapped, options.system) > MOST_COMMAND) tooLong.push(number);
    lines.push({ line: number, id, action: 'wrapped' });
    return wrapped;
  });
  if (tooLong.length > 0) throw commandTooLong(tooLong);
  const before = splitLines(given);
  for (const line of lines)
    if (line.action === 'wrapped' && texts[line.line - 1] === before[line.line - 1]) line.action = 'kept';
  return { text: Buffer.from(texts.join('\n'), 'latin1'), lines };
}

/**
 * The crontab as it was before `patchCrontab`. Throws `line_changed` for lines that somebody has changed since: what they say now is not what is
 * reported under their ids. Pure.
 */
export function unpatchCrontab(
  given: Buffer,
  options: Omit<PatchOptions, 'program'>,
): { text: Buffer; lines: number[] } {
  const lines = takenApart(given, options.system);
  const plain = lines.map((line) => line.plain);
  const { ids } = readLines(plain, options);
  const wrapped = lines.flatMap(({ id }, index) => (id === undefined ? [] : [{ line: index + 1, id }]));
  const changed = wrapped.filter(({ line, id }) => ids.get(line) !== id).map(({ line }) => line);
  if (changed.length > 0) throw lineChanged(changed, options.source);
  return { text: Buffer.from(plain.join('\n'), 'latin1'), lines: wrapped.map(({ line }) => line) };
}

/** Lines that are patched, with the user that runs them (null: not said) and the settings above them. */
export function patchedLines(
  given: Buffer,
  { system, user }: { system: boolean; user?: string | undefined },
): { line: number; id: string; user: string | null; env: Readonly<Record<string, string>> }[] {
  const lines = takenApart(given, system);
  const read = parseCrontab(Buffer.from(lines.map(({ plain }) => plain).join('\n'), 'latin1').toString('utf8'), {
    system,
    user,
  });
  return read.flatMap((each) => {
    const id = lines[each.line - 1]?.id;
    return each.kind === 'schedule' && id !== undefined
      ? [{ line: each.line, id, user: each.user ?? null, env: each.env }]
      : [];
  });
}

/** A crontab as it was before it was patched, and the ids that its lines are reported under, by their numbers. */
export function unpatched(text: string, system: boolean): { text: string; ids: ReadonlyMap<number, string> } {
  const ids = new Map<number, string>();
  if (!text.includes(' report --line ')) return { text, ids };
  const lines = text.split('\n').map((line, index) => {
    const wrapped = unwrapLine(line, system);
    if (wrapped) ids.set(index + 1, wrapped.id);
    return wrapped?.plain ?? line;
  });
  return { text: lines.join('\n'), ids };
}

/** Bytes as characters: none is lost, whatever the encoding. */
function splitLines(given: Buffer): string[] {
  return given.toString('latin1').split('\n');
}

function takenApart(given: Buffer, system: boolean): { plain: string; id?: string }[] {
  return splitLines(given).map((text) => unwrapLine(text, system) ?? { plain: text });
}

/** Of lines as they were: their ids, and those of which no task can be made. */
function readLines(plain: readonly string[], { source, ...format }: Omit<PatchOptions, 'program'>) {
  const lines = parseCrontab(Buffer.from(plain.join('\n'), 'latin1').toString('utf8'), format);
  const scheduled = lines.flatMap((line) => (line.kind === 'schedule' ? [line] : []));
  const refused = scheduled.filter((line) => !toTask(line, { timeZone: 'UTC', timeZoneFrom: 'system' }).ok);
  return {
    ids: lineIds(lines, source),
    refused: new Set(refused.map(({ line }) => line)),
  };
}

function numbers(lines: readonly number[]): string {
  return `${lines.length === 1 ? 'line' : 'lines'} ${lines.join(', ')}`;
}

function commandTooLong(lines: readonly number[]): EscapementError {
  return new EscapementError(
    'command_too_long',
    `${numbers(lines)}: wrapped, the command would be longer than the ${MOST_COMMAND} bytes that cron takes; nothing is changed`,
    { fix: 'put the command into a script, and let the crontab run that' },
  );
}

function lineChanged(lines: readonly number[], source: string): EscapementError {
  return new EscapementError(
    'line_changed',
    `${numbers(lines)}: changed since it was patched as part of "${source}"; nothing is changed`,
    {
      fix: 'give the --source, and --system or --user, that it was patched with; or patch the file again, which takes the changes over, and then take the patch back',
    },
  );
}
