import { DAY, EscapementError, handlerFacts, type TaskInput } from '@escapement/core';
import type { ScheduleSpec } from '@escapement/core/schedule';
import { shellQuoted } from '../shell-quoted.ts';
import { freeName } from '../translated/free-name.ts';
import { cannotSay, type Translated, type Translation, translate } from '../translated/translated.ts';
import { mentionsRunParts, type RunPartsCall, readRunPartsCall } from './call.ts';
import { laterBy } from './later-by.ts';
import { type FolderEntry, type NameRule, scriptsIn } from './names.ts';

/** A line of a crontab, or a job of anacron, as the task that it would be. */
export interface StartLine extends Omit<Translated, 'task' | 'paused'> {
  task: Omit<TaskInput, 'name'>;
}

/** A line that starts the scripts of a folder. */
export interface Starter {
  line: StartLine;
  handler: Shell;
  call: RunPartsCall;
}

type Shell = Extract<TaskInput['handler'], { type: 'shell' }>;

/** What is in a folder; a text: why it cannot be read. */
export type FolderOfScripts =
  | { entries: readonly FolderEntry[]; cronie?: Omit<NameRule & { kind: 'cronie' }, 'kind'> }
  | string;

export interface RunPartsGiven {
  starters: readonly Starter[];
  /** By their paths. */
  folders: ReadonlyMap<string, FolderOfScripts>;
  /** Only the scripts of these are wanted; none: of all. What a task is called does not depend on it. */
  only?: readonly string[];
  /** Before the name of each task. */
  prefix?: string | undefined;
  pool?: string | undefined;
}

/** Default of what a line says nothing of; one hung script does not hold the others for ever. */
const TIME_LIMIT_MS = DAY;

const LAST_SECOND = 59;

/** A task's name has 200 characters at most. */
const MOST_OF_NAME = 190;

/**
 * The lines that start run-parts, and nothing else. `hasAnacron`: the host has it, so that lines which leave their work to it do nothing.
 * Those that do more are refused. Pure.
 */
export function startersIn(
  lines: readonly StartLine[],
  { hasAnacron }: { hasAnacron: boolean },
): { starters: Starter[]; refused: Translation['refused'] } {
  const starters: Starter[] = [];
  const refused: Translation['refused'] = [];
  for (const line of lines) {
    const { shell } = handlerFacts(line.task.handler);
    if (!shell || !mentionsRunParts(shell.command ?? '')) continue;
    try {
      const call = readRunPartsCall(shell.command ?? '');
      if (!call.unlessAnacron || !hasAnacron) starters.push({ line, handler: shell, call });
    } catch (error) {
      if (!(error instanceof EscapementError)) throw error;
      refused.push({ place: line.place, reason: `${error.message}: ${error.fix}` });
    }
  }
  return { starters, refused };
}

/**
 * What the scripts of folders become: a task for each, with the schedule and the settings of the line that starts the folder. They share a
 * key and wait for each other, and each is due a second after the one before it: so they run one after the other, in the order of run-parts.
 * Pure.
 */
export function readRunParts({ starters, folders, only = [], prefix = '', pool }: RunPartsGiven): Translation {
  const translation: Translation = { tasks: [], refused: [], notes: [] };
  const names = new Set<string>();
  const groups = groupsOf(starters.map(({ call }) => call.folder));
  for (const starter of starters) {
    const { folder, options } = starter.call;
    if (only.length > 0 && !only.includes(folder)) continue;
    const { place } = starter.line;
    translate(translation, `${folder}, started by ${place}`, () => {
      const { scripts, left } = found(folders.get(folder) ?? 'it was not looked for', starter);
      translation.notes.push(...left.map(({ name, why }) => `left: ${folder}/${name}: ${why}`));
      if (scripts.length === 0) translation.notes.push(`${folder} has nothing that run-parts would run`);
      const group = `${prefix}${groups.get(folder)}`;
      const ordered = options.reverse ? [...scripts].reverse() : scripts;
      return ordered.map((script, index) => {
        const name = freeName(`${group}/${plainName(script)}`.slice(0, MOST_OF_NAME), names);
        names.add(name);
        return taskOf(starter, { script, index, name, group, pool });
      });
    });
  }
  return translation;
}

/** What the tasks of each folder have in common: its last name, or all of its path where two have the same. */
function groupsOf(folders: readonly string[]): ReadonlyMap<string, string> {
  const all = [...new Set(folders)];
  const lastOf = (folder: string) => plainName(folder.slice(folder.lastIndexOf('/') + 1));
  const isAlone = (folder: string) => all.every((other) => other === folder || lastOf(other) !== lastOf(folder));
  return new Map(all.map((folder) => [folder, isAlone(folder) ? lastOf(folder) : plainName(folder)]));
}

/** It begins with a letter or digit, as names of tasks do. */
function plainName(text: string): string {
  return text.replace(/^[^A-Za-z0-9]+/, '').replace(/[^A-Za-z0-9._:@/-]/g, '-') || 'scripts';
}

function found(folder: FolderOfScripts, { call: { options } }: Starter) {
  if (typeof folder === 'string') throw cannotSay('the folder cannot be read', folder);
  const { names, left } = scriptsIn(
    folder.entries,
    folder.cronie
      ? { kind: 'cronie', ...folder.cronie }
      : { kind: 'debian', lsb: options.lsb, pattern: patternOf(options.pattern) },
  );
  return { scripts: names, left };
}

/** The extended expressions of POSIX that ours read alike. Throws `cannot_say`. */
function patternOf(text: string | undefined): RegExp | undefined {
  if (text === undefined) return undefined;
  try {
    if (!/\[\^?\]|\[[:.=]|\\[<>A-Za-z0-9]|\(\?/.test(text)) return new RegExp(text);
  } catch {
    // Below.
  }
  throw cannotSay(`--regex=${text} cannot be read`, 'leave it one task, as it is one line');
}

interface Script {
  script: string;
  /** Among those of its folder. */
  index: number;
  name: string;
  /** What the tasks of its folder have in common: their key. */
  group: string;
  pool: string | undefined;
}

function taskOf({ line, handler, call }: Starter, { script, index, name, group, pool }: Script): Translated {
  const { schedule = { kind: 'manual' }, onFleetStart, notify, catchUp, timeoutMs } = line.task;
  const { cwd, options } = call;
  return {
    place: `${call.folder}/${script}`,
    task: {
      name,
      schedule: laterBy(schedule, Math.min(index, LAST_SECOND)),
      ...(onFleetStart === undefined ? {} : { onFleetStart }),
      handler: { ...handler, command: commandOf(call, script, index), ...(cwd === undefined ? {} : { cwd }) },
      ...(notify === undefined ? {} : { notify }),
      ...(pool === undefined ? {} : { pool }),
    },
    atFirst: {
      ...{ key: group, overlap: 'wait-all', timeoutMs: timeoutMs ?? TIME_LIMIT_MS },
      ...(catchUp === undefined ? {} : { catchUp }),
      ...line.atFirst,
    },
    paused: false,
    lost: [
      ...line.lost,
      ...(options.exitOnError ? ['--exit-on-error: a script runs though one before it has failed'] : []),
      ...(options.stdin ? ['--stdin: a script reads what its handler gives it, which is nothing'] : []),
      ...(onFleetStart || hasJitter(schedule) || index > LAST_SECOND
        ? ['the order among the scripts: they run one after the other']
        : []),
    ],
    notes: line.notes,
  };
}

function commandOf({ folder, before, redirects, options }: RunPartsCall, script: string, index: number): string {
  const words = [`${folder}/${script}`, ...options.args].map(shellQuoted).join(' ');
  const umask = options.umask === undefined ? '' : `umask ${options.umask} && `;
  const to = redirects.map(({ operator, file }) => {
    if (file === undefined) return ` ${operator}`;
    // What the first one has written stays.
    const adds = index > 0 && file !== '/dev/null' ? operator.replace(/>+$/, '>>') : operator;
    return ` ${adds}${shellQuoted(file)}`;
  });
  return `${umask}${before}${words}${to.join('')}`;
}

function hasJitter(schedule: ScheduleSpec): boolean {
  return 'jitterMs' in schedule && schedule.jitterMs !== undefined;
}
