import { createHash } from 'node:crypto';
import { maskCommand } from '@escapement/core/mask';

/** What a task of a crontab is: the same thing done by the same user. When it is done may change. */
export interface Identity {
  command: string;
  stdin?: string | undefined;
  user?: string | undefined;
}

export function identityOf({ command, stdin, user }: Identity): string {
  return JSON.stringify([user ?? '', command, stdin ?? '']);
}

/**
 * A name for a new task: words of its command, no passwords among them, and a short hash of source, user and command, so that two crontabs with
 * the same line do not take each other's task. A name once given stays, also when the command changes later.
 */
export function nameTask(identity: Identity, source: string, isTaken: (name: string) => boolean): string {
  const hash = createHash('sha256')
    .update(`${source}\n${identityOf(identity)}`)
    .digest('hex')
    .slice(0, 6);
  const base = `${slug(maskCommand(identity.command))}-${hash}`;
  if (!isTaken(base)) return base;
  for (let count = 2; ; count++) if (!isTaken(`${base}-${count}`)) return `${base}-${count}`;
}

const MAX_SLUG = 40;
const MAX_WORDS = 3;

/** Commands that say where, when or how, not what. */
const PRELUDES = new Set([
  'cd',
  'test',
  '[',
  '[[',
  '.',
  'source',
  'export',
  'set',
  'sleep',
  'if',
  'then',
  'exec',
  'true',
  'mkdir',
]);
const WRAPPERS = new Set(
  'sudo nice ionice nohup env time timeout command bash sh zsh ksh dash python python3 python2 perl ruby php node root if then'.split(
    ' ',
  ),
);

function slug(command: string): string {
  const segments = withoutRedirections(command)
    .split(/[;|&\n()]+/)
    .map(wordsOf);
  const meaningful = segments.filter((words) => words.length > 0);
  const words = meaningful.find(([first = '']) => !PRELUDES.has(first)) ?? meaningful[0] ?? [];
  const said = words.filter((word, index) => index === words.length - 1 || !WRAPPERS.has(word));
  const text = said.slice(0, MAX_WORDS).map(plain).filter(Boolean).join('-');
  return text.slice(0, MAX_SLUG).replace(/[-.]+$/, '') || 'cron';
}

function withoutRedirections(command: string): string {
  return command.replace(/(?:\d+|&)?>{1,2}(?:&\d+|\s*[^\s;|&)]+)|<\s*[^\s;|&)]+/g, ' ');
}

/** The words of one command without options, assignments and numbers. */
function wordsOf(segment: string): string[] {
  return segment
    .split(/\s+/)
    .map((word) => word.replace(/^["'`$({]+|["'`)}]+$/g, ''))
    .filter((word) => word !== '' && !/^[-+]/.test(word) && !/^[A-Za-z_]\w*=/.test(word) && !/^\d+$/.test(word))
    .map(baseName);
}

function baseName(word: string): string {
  if (/^https?:/.test(word)) return word.replace(/^https?:\/\/([^/?]+).*$/, '$1');
  return word.split('/').filter(Boolean).at(-1) ?? word;
}

function plain(word: string): string {
  return word
    .replace(/\.(?:sh|bash|py|rb|pl|php|js|ts)$/, '')
    .replace(/[^A-Za-z0-9._]+/g, '-')
    .replace(/^[-._]+|[-._]+$/g, '')
    .toLowerCase();
}
