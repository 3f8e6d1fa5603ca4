import { shellQuoted } from '../shell-quoted.ts';
import { cannotSay } from '../translated/translated.ts';
import { hasVariable, shellWord, wordsOf } from './exec-words.ts';
import { type UnitName, withoutSpecifiers } from './specifiers.ts';
import type { Unit } from './unit-file.ts';

/** What a service runs, as a shell handler has it: a program with arguments, or a line for a shell. */
export type Command = { argv: string[] } | { command: string; shell?: string };

interface ExecLine {
  words: string[];
  /** `-`: its failure is none. */
  mayFail: boolean;
  /** `:`: no variables are filled in. */
  plain: boolean;
}

const MAX_CHARACTERS = 32_768;

/** Throws `cannot_say`. */
export function readCommand(unit: Unit, name: UnitName, lost: string[]): Command {
  const lines = (key: string) => unit.all('Service', key).map((text) => readLine(key, text, { name, lost }));
  const start = lines('ExecStart');
  if (start.length === 0) throw cannotSay(`${name.full} has no ExecStart=`, 'a task needs a command');
  const [conditions, before, after] = [lines('ExecCondition'), lines('ExecStartPre'), lines('ExecStartPost')];
  const files = unit.all('Service', 'EnvironmentFile').map((text) => environmentFile(withoutSpecifiers(text, name)));
  const [only] = start;
  const isAlone = start.length + conditions.length + before.length + after.length + files.length === 1;
  if (only && isAlone && !only.mayFail && (only.plain || !only.words.some(hasVariable)))
    return shortened(only.plain ? only.words : only.words.map((word) => word.replaceAll('$$', '$')));
  if (conditions.length > 0) lost.push('ExecCondition: a run that it keeps back has succeeded; it is not skipped');
  if (files.length > 0)
    lost.push('EnvironmentFile: read by the shell on the worker at each run; a $ in it is filled in');
  const command = [
    ...files,
    ...conditions.map((line) => `{ ${shellLine(line)}; } || exit 0`),
    ...joined([...before, ...start, ...after]),
  ].join('\n');
  if (command.length > MAX_CHARACTERS)
    throw cannotSay(`the commands of ${name.full} are too long`, 'put them into a script');
  return { command };
}

/** `sh -c LINE` is what a task has as its command. */
function shortened(argv: string[]): Command {
  const [shell = '', option, line, ...more] = argv;
  if (!/^\/(?:usr\/)?bin\/(?:ba|da|k|z)?sh$/.test(shell) || option !== '-c' || line === undefined || more.length > 0)
    return { argv };
  return { command: line, ...(shell === '/bin/sh' ? {} : { shell }) };
}

/** The lines one after the other, as long as each succeeds. */
function joined(lines: readonly ExecLine[]): string[] {
  return lines.map((line, index) => {
    const command = line.mayFail ? `{ ${shellLine(line)} || true; }` : shellLine(line);
    return index < lines.length - 1 ? `${command} &&` : command;
  });
}

function shellLine({ words, plain }: ExecLine): string {
  return words.map((word) => (plain ? shellQuoted(word) : shellWord(word))).join(' ');
}

function readLine(key: string, text: string, { name, lost }: { name: UnitName; lost: string[] }): ExecLine {
  const [, flags = '', rest = ''] = /^([-@:+!|]*)(.*)$/s.exec(text) ?? [];
  const words = wordsOf(rest).map((word) => withoutSpecifiers(word, name));
  if (words.length === 0) throw cannotSay(`${key}=${text} has no program`, 'correct it in the unit');
  if (/(?:^|\s);(?:\s|$)/.test(rest))
    throw cannotSay(`${key}=${text} has several commands in a line`, `write each as an ${key}= of its own`);
  if (/[+!]/.test(flags)) lost.push(`${key}=${flags}...: the command has the rights of the task's user, no others`);
  // `@`: the second word is what the program is to be called, which a handler cannot say.
  if (flags.includes('@')) {
    lost.push(`${key}=@...: the program has its own name as its first argument`);
    words.splice(1, 1);
  }
  return { words, mayFail: flags.includes('-'), plain: flags.includes(':') };
}

function environmentFile(text: string): string {
  const path = shellQuoted(text.replace(/^-/, ''));
  return text.startsWith('-')
    ? `if [ -r ${path} ]; then set -a; . ${path}; set +a; fi`
    : `set -a; . ${path} || exit 1; set +a`;
}
