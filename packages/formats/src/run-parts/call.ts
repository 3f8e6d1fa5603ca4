import { shellQuoted } from '../shell-quoted.ts';
import { cannotSay } from '../translated/translated.ts';
import { type Redirect, type Token, tokensOf } from './tokens.ts';

/** A command that starts run-parts, and nothing else. */
export interface RunPartsCall {
  folder: string;
  /** It begins with a test for anacron, and does nothing where that is. */
  unlessAnacron: boolean;
  /** The folder that it changes to. */
  cwd?: string;
  /** What stands before the command of each script, such as `nice -n 19 `. */
  before: string;
  /** What its output goes to. */
  redirects: Redirect[];
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

const GUARD = /^\s*(?:test\s+-x\s+\S*\/anacron|\[\s+-x\s+\S*\/anacron\s+\])\s*\|\|/;
const PRIORITY = new Set(['nice', 'ionice', 'chrt']);
const CLOSES: Readonly<Record<string, string>> = { '{': '}', '(': ')' };

/** It starts run-parts somewhere, alone or among other things. */
export function mentionsRunParts(command: string): boolean {
  return /(?:^|[\s/;&|({'"`])run-parts(?=$|[\s;&|<>)'"`])/.test(command);
}

/** What a command starts with run-parts. Throws `cannot_say` where it does something else, too. */
export function readRunPartsCall(command: string): RunPartsCall {
  const guard = GUARD.exec(command)?.[0] ?? '';
  const tokens = tokensOf(command.slice(guard.length));
  if (!tokens) throw doesMore();
  const closes = CLOSES[textOf(tokens[0])];
  const inner = closes === undefined ? tokens : withinBraces(tokens, closes);
  const { cwd, rest } = changeOf(inner);
  // Of `a || b && c` the last is done in any case.
  if (guard !== '' && cwd !== undefined && closes === undefined) throw doesMore();
  if (textOf(rest.at(-1)) === ';') rest.pop();
  const words = rest.flatMap((token) => (token.kind === 'word' ? [token.text] : []));
  const redirects = rest.flatMap((token) => (token.kind === 'redirect' ? [token] : []));
  if (words.length + redirects.length < rest.length) throw doesMore();
  const start = words.findIndex((word, index) => !isOfPriority(word, index));
  if (baseOf(words[start] ?? '') !== 'run-parts') throw doesMore();
  return {
    ...{
      unlessAnacron: guard !== '',
      redirects,
      before: words
        .slice(0, start)
        .map((word) => `${shellQuoted(word)} `)
        .join(''),
    },
    ...(cwd === undefined ? {} : { cwd }),
    ...readWords(words.slice(start + 1)),
  };
}

const doesMore = () => cannotSay('the command does more than start run-parts', 'leave it one task, as it is one line');
const textOf = (token: Token | undefined): string => (token?.kind === 'operator' ? token.text : '');
const baseOf = (word: string): string => word.slice(word.lastIndexOf('/') + 1);

/** A command that sets a priority, or what stands behind one: an option, or its value. */
function isOfPriority(word: string, index: number): boolean {
  return PRIORITY.has(baseOf(word)) || (index > 0 && /^(?:-[\w=.,+-]+|\d+)$/.test(word));
}

/** What stands in braces, with the redirects behind them. */
function withinBraces(tokens: readonly Token[], closes: string): Token[] {
  const end = tokens.findIndex((token) => textOf(token) === closes);
  const behind = tokens.slice(end + 1).filter((token) => textOf(token) !== ';');
  if (end < 0 || behind.some(({ kind }) => kind !== 'redirect')) throw doesMore();
  const inner = tokens.slice(1, end);
  if (textOf(inner.at(-1)) === ';') inner.pop();
  return [...inner, ...behind];
}

function changeOf(tokens: readonly Token[]): { cwd?: string; rest: Token[] } {
  const [cd, folder, then] = tokens;
  if (cd?.kind !== 'word' || cd.text !== 'cd') return { rest: [...tokens] };
  if (folder?.kind !== 'word' || !['&&', ';'].includes(textOf(then))) throw doesMore();
  if (!folder.text.startsWith('/')) throw cannotSay(`it changes to the folder ${folder.text}`, 'give it from / on');
  return { cwd: folder.text, rest: tokens.slice(3) };
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
