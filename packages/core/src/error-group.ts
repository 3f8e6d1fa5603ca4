import { createHash } from 'node:crypto';
import type { RunError } from './handler.ts';

/** What failures have in common that are taken for the same. */
export interface ErrorGroup {
  /** 16 hexadecimal digits: of the same error always the same, in each process and version. */
  fingerprint: string;
  /** The class of the error; null: none was thrown. */
  name: string | null;
  /** Its message, or the reason of the run, with `#` for what differs from one to another: numbers, ids, hexadecimal digits. */
  message: string;
  /** The first place of the stack that is no library's, as `function (folder/file.ts)`; null: there is none. */
  frame: string | null;
}

export interface Failure {
  taskName: string;
  error: Pick<RunError, 'name' | 'message' | 'stack'> | null;
  reason: string | null;
}

const MAX_MESSAGE = 300;
/** Folders of a file that stay: more differ from one machine to another. */
const FOLDERS = 2;

/**
 * The group of a failure. Without a place in its stack, as of commands, its task belongs to it: `exit code 1` says too little.
 */
export function errorGroupOf({ taskName, error, reason }: Failure): ErrorGroup {
  const name = error?.name ?? null;
  const message = withoutParticulars(saidBy({ error, reason }));
  const frame = error?.stack === undefined ? null : firstOwnFrame(error.stack);
  const parts = [name, message, frame ?? `task ${taskName}`];
  const fingerprint = createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
  return { fingerprint, name, message, frame };
}

/** What this one failure said, with its numbers and ids: the first line. */
export function exampleOf(failure: Pick<Failure, 'error' | 'reason'>): string {
  return firstLineOf(saidBy(failure)).slice(0, MAX_MESSAGE).trim();
}

function saidBy({ error, reason }: Pick<Failure, 'error' | 'reason'>): string {
  return error?.message ?? reason ?? 'no reason is known';
}

function firstLineOf(message: string): string {
  const [line = ''] = message.slice(0, 4 * MAX_MESSAGE).split('\n');
  return line;
}

const UUID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi;
/** Digests, ids of containers and the like: long, with a digit in it. */
const HEX = /\b(?:0x)?(?=[a-f]*\d)[0-9a-f]{8,}\b/gi;
const NUMBER = /\d+(?:[.,:]\d+)*/g;

function withoutParticulars(message: string): string {
  return firstLineOf(message)
    .replaceAll(UUID, '#')
    .replaceAll(HEX, '#')
    .replaceAll(NUMBER, '#')
    .slice(0, MAX_MESSAGE)
    .trim();
}

const FRAME = /^\s*at (?:(?:async )?(.+?) \()?(?:async )?(?:file:\/\/)?(.+?):\d+:\d+\)?$/;
const FOREIGN = /node_modules|^node:|^internal\/|^<anonymous>|^native/;

/** Without line and column: those differ with each change of the file. */
function firstOwnFrame(stack: string): string | null {
  for (const line of stack.split('\n')) {
    const [, place, file] = FRAME.exec(line) ?? [];
    if (file === undefined || FOREIGN.test(file)) continue;
    const short = file
      .split(/[\\/]/)
      .slice(-1 - FOLDERS)
      .join('/');
    return place === undefined ? short : `${place} (${short})`;
  }
  return null;
}
