import {
  CRONTAB_USER,
  type ErrorCode,
  EscapementError,
  type Json,
  NOT_UTF8,
  nearest,
  OPEN_STATES,
  parseJson,
  poolName,
  RUN_ORIGINS,
  RUN_STATES,
  type RunState,
  storableText,
  systemReason,
} from '@escapement/core';
import { type LabelSelector, parseSelector } from '@escapement/core/rights';
import { parseSchedule } from '@escapement/core/schedule';
import { repeats } from './once.ts';
import { linesNotUtf8, readFileBounded } from './read-bounded.ts';

/** Of an option that may be repeated. */
export const gather = repeats((text: string, before: readonly string[]): string[] => [...before, text]);

/** A whole number within bounds. Throws `bad_number`. */
export function readCount(what: string, least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^-?\d+$/.test(text) && value >= least && value <= most) return value;
    throw new EscapementError('bad_number', `${what} is "${text}"`, {
      fix: `give a whole number from ${least} to ${most}`,
    });
  };
}

/** Longest reason or note, in characters. */
export const MAX_WORDS = 1000;

/** What a person says of what they do, for the ledger. Throws `bad_text`. */
export function readWords(what: string): (text: string) => string {
  return (text) => {
    if (text.length > MAX_WORDS)
      throw new EscapementError('bad_text', `${what} has ${text.length} characters`, { fix: `at most ${MAX_WORDS}` });
    if (storableText(text) !== text)
      throw new EscapementError('bad_text', `${what} contains a NUL character or half of a surrogate pair`, {
        fix: 'remove it: Postgres cannot store it',
      });
    return text;
  };
}

/** As `readWords`, of something that must be said. */
export function readNote(what: string): (text: string) => string {
  const read = readWords(what);
  return (text) => {
    if (text.trim() !== '') return read(text);
    throw new EscapementError('bad_text', `${what} is empty`, { fix: 'say why: it stays in the ledger' });
  };
}

/** JSON from the command line. What is in it is judged where it is used. Throws `bad_json`, `json_number`, `json_too_deep`. */
export function readJson(text: string): Json {
  return jsonOf(text, '--payload', `quote it for the shell, as in --payload '{"day": "2026-03-29"}'`);
}

/** The same from a file, or standard input. Throws `bad_json`, `not_utf8`, and what reading throws. */
export async function readJsonFile(file: string, stdin: () => Promise<string>): Promise<Json> {
  return jsonOf(await readUtf8(file, stdin), file === '-' ? 'standard input' : file);
}

function jsonOf(text: string, what: string, fix?: string): Json {
  try {
    return parseJson(text, what) as Json;
  } catch (error) {
    if (error instanceof EscapementError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new EscapementError('bad_json', `${what} is not JSON: ${why}`, fix === undefined ? {} : { fix });
  }
}

export interface Words<Word extends string> {
  /** The option. */
  what: string;
  known: readonly Word[];
  /** Of the error for another word. */
  code: ErrorCode;
  /** What helps besides. */
  hint?: string;
}

/** Known words separated by commas; of an option that may be repeated. Throws the error of `code`, with the nearest. */
export function readWordsOf<Word extends string>({ what, known, code, hint }: Words<Word>) {
  return repeats((text: string, before: readonly Word[] = []): Word[] => {
    const words = text.split(',').map((each) => {
      const word = known.find((one) => one === each.trim());
      if (word) return word;
      const near = nearest(each.trim(), known);
      const fix = near ? `did you mean ${near}?` : `give one or more of ${known.join(', ')}`;
      throw new EscapementError(code, `${what} is "${each.trim()}"`, { fix: hint ? `${fix}; ${hint}` : fix });
    });
    return [...before, ...words];
  });
}

const readStateWords = readWordsOf({ what: '--state', known: [...RUN_STATES, 'open'], code: 'unknown_state' });

/** States separated by commas; `open` stands for all that have not ended. Throws `unknown_state`. */
export const readStates = repeats((text: string, before: readonly RunState[] = []): RunState[] => [
  ...before,
  ...readStateWords(text).flatMap((word) => (word === 'open' ? OPEN_STATES : [word])),
]);

/** Origins of runs, separated by commas. Throws `unknown_origin`. */
export const readOrigins = readWordsOf({ what: '--origin', known: RUN_ORIGINS, code: 'unknown_origin' });

/** The words of the option that chooses tasks by their labels. */
export const LABEL_OPTION = '-l, --label <selector>';
export const LABEL_HELP = 'only tasks with these labels: team=shop, env=test|stage, with commas between';

/** A selector of labels; given several times, all must be met. Throws `bad_selector`. */
export const readSelector = repeats(
  (text: string, before?: LabelSelector): LabelSelector => parseSelector(before ? `${before.text},${text}` : text),
);

/** An IANA zone. Throws `unknown_zone`, with the nearest. */
export function readZone(text: string): string {
  parseSchedule({ kind: 'cron', expression: '* * * * *', timeZone: text });
  return text;
}

/** The name of a pool. Throws `bad_pool`. */
export function readPool(text: string): string {
  const read = poolName.safeParse(text);
  if (read.success) return read.data;
  throw new EscapementError('bad_pool', `--pool is "${text}"`, {
    fix: 'lower-case letters, digits, _ and -, at most 63',
  });
}

/** A user of the system. Throws `bad_user`. */
export function readUser(text: string): string {
  if (CRONTAB_USER.test(text)) return text;
  throw new EscapementError('bad_user', `--user is "${text}"`, { fix: 'give the name of a user of the system' });
}

/** The text of a file, or of standard input for `-`. Throws `no_file`, `input_too_large`. */
export async function readText(file: string, stdin: () => Promise<string>): Promise<string> {
  if (file === '-') return await stdin();
  try {
    return await readFileBounded(file);
  } catch (error) {
    if (error instanceof EscapementError) throw error;
    throw new EscapementError('no_file', `${file} cannot be read: ${systemReason(error)}`, {
      fix: 'give the path of a file, or - for standard input',
      cause: error,
    });
  }
}

/** The same, of a file that must be UTF-8 as a whole. Throws `not_utf8` as well. */
export async function readUtf8(file: string, stdin: () => Promise<string>): Promise<string> {
  const text = await readText(file, stdin);
  const [line] = linesNotUtf8(text);
  if (line === undefined) return text;
  throw new EscapementError('not_utf8', `${file === '-' ? 'standard input' : file}, line ${line}: ${NOT_UTF8}`);
}

/** Of `--allow-prune`. */
export const MAX_PRUNED = 1_000_000;

/** The name of a set of tasks, which are found again under it. The reader throws `bad_set`. */
export function readSet(option: string): (text: string) => string {
  return (text) => {
    if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(text)) return text;
    throw new EscapementError('bad_set', `${option} is "${text}"`, {
      fix: 'letters, digits, dots, _ and -, at most 100',
    });
  };
}
