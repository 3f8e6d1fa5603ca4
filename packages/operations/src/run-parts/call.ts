import { cannotSay } from '../translated/translated.ts';

/** A command that starts run-parts, and nothing else. */
export interface RunPartsCall {
  folder: string;
  /** It begins with a test for anacron, and does nothing where that is. */
  unlessAnacron: boolean;
  /** The folder that it changes to. */
  cwd?: string;
  /** What stands before the command of each script, such as `nice -n 19`. */
  before: string;
  /** What its output goes to, as it stands there. */
  redirect: string;
  options: RunPartsOptions;
}

export interface RunPartsOptions {
  args: string[];
  umask?: string;
  reverse: boolean;
  exitOnError: boolean;
  stdin: boolean;
  lsb: boolean;
  pattern?: string;
}

const WORD = String.raw`(?:'[^']*'|"[^"$\`\\]*"|[^\s;&|<>(){}'"$\`\\*?#])+`;
const GUARD = String.raw`(?:(?:test|\[)\s+-x\s+\S*/anacron(?:\s+\])?\s*\|\|\s*)`;
const CHANGE = String.raw`(?:cd\s+(${WORD})\s*(?:&&|;)\s*)`;
const PRIORITY = String.raw`((?:(?:\S*/)?(?:nice|ionice|chrt)(?:\s+(?:-\S+|\d+))*\s+)*)`;
const REDIRECT = String.raw`((?:\s*(?:\d?>{1,2}\s*|&>\s*)${WORD}|\s*\d?>&\d)*)`;
const CALL = new RegExp(
  String.raw`^\s*(${GUARD})?[({]?\s*${CHANGE}?${PRIORITY}(?:\S*/)?run-parts((?:\s+${WORD})+)${REDIRECT}\s*;?\s*[)}]?\s*$`,
);

/** It starts run-parts somewhere, alone or among other things. */
export function mentionsRunParts(command: string): boolean {
  return /(?:^|[\s/;&|({])run-parts(?:\s|$)/.test(command);
}

/** What a command starts with run-parts. Throws `cannot_say` where it does something else, too. */
export function readRunPartsCall(command: string): RunPartsCall {
  const [, guard, cwd, before = '', rest = '', redirect = ''] = CALL.exec(command) ?? [];
  if (rest === '')
    throw cannotSay('the command does more than start run-parts', 'leave it one task, as it is one line');
  const { folder, options } = readWords([...rest.matchAll(new RegExp(WORD, 'g'))].map(([word]) => unquoted(word)));
  return {
    ...{ folder, options, unlessAnacron: guard !== undefined, before: before.replace(/\s+/g, ' ') },
    ...(cwd === undefined ? {} : { cwd: unquoted(cwd) }),
    redirect: redirect.trim() === '' ? '' : ` ${redirect.trim()}`,
  };
}

function unquoted(word: string): string {
  return word.replace(/'([^']*)'|"([^"]*)"/g, '$1$2');
}

/** Options of run-parts(8) that have a value, by their names. */
const VALUES: Readonly<Record<string, 'arg' | 'umask' | 'regex'>> = {
  ...{ '-a': 'arg', '--arg': 'arg', '-u': 'umask', '--umask': 'umask', '--regex': 'regex' },
};

/** Options that only say what run-parts prints, or how it starts a script. */
const SILENT = new Set(['--report', '-v', '--verbose', '-d', '--debug', '--new-session', '--']);

function readWords(words: readonly string[]): Pick<RunPartsCall, 'folder' | 'options'> {
  const options: RunPartsOptions = { args: [], reverse: false, exitOnError: false, stdin: false, lsb: false };
  const folders: string[] = [];
  const rest = words.values();
  for (const word of rest) {
    const [, name = word, inline] = /^(--[a-z-]+)=(.*)$/s.exec(word) ?? [];
    const value = VALUES[name];
    if (value) setValue(options, value, inline ?? rest.next().value ?? '');
    else if (word.startsWith('-')) setFlag(options, word);
    else folders.push(word);
  }
  const [folder, ...others] = folders;
  if (folder === undefined || !folder.startsWith('/') || others.length > 0)
    throw cannotSay(`run-parts is given ${folders.join(' ') || 'no folder'}`, 'it needs one folder, from / on');
  return { folder: folder.replace(/(?<=.)\/+$/, ''), options };
}

function setValue(options: RunPartsOptions, name: 'arg' | 'umask' | 'regex', value: string): void {
  if (name === 'arg') options.args.push(value);
  else if (name === 'regex') options.pattern = value;
  else if (/^[0-7]{1,4}$/.test(value)) options.umask = value;
  else throw cannotSay(`the umask of run-parts is "${value}"`, 'give it in octal digits');
}

function setFlag(options: RunPartsOptions, word: string): void {
  if (word === '--reverse') options.reverse = true;
  else if (word === '--exit-on-error') options.exitOnError = true;
  else if (word === '--stdin') options.stdin = true;
  else if (word === '--lsbsysinit') options.lsb = true;
  else if (!SILENT.has(word))
    throw cannotSay(`run-parts has the option ${word}`, 'leave it one task, as it is one line');
}
