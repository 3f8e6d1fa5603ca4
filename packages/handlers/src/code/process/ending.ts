import { formatSpan, type HandlerOutcome, type RunError } from '@escapement/core';
import { abortWords } from '../../abort.ts';

/** How a process for handlers came to its end in the middle of a run. */
export interface ProcessEnding {
  code: number | null;
  signal: NodeJS.Signals | null;
  /** The end of what it wrote to standard error. */
  lastWords: string;
}

/** What its worker knows of that run. */
export interface EndingContext {
  memoryLimitMb: number;
  /** Why the worker killed it, if it did. */
  killed:
    | { why: 'stubborn'; waitedMs: number }
    | { why: 'unloaded'; waitedMs: number }
    | { why: 'memory'; heldMb: number }
    | undefined;
  /** Its handler had been called. */
  entered: boolean;
  signal: AbortSignal;
  /** How long its event loop has been blocked; 0: it was not. Milliseconds. */
  blockedMs: number;
}

const HEAP_EXHAUSTED = /JavaScript heap out of memory|Reached heap limit|invalid (?:size|array length) error/i;

/** The outcome of a run whose process ended without one, in words that say what it was. */
export function outcomeOfProcessEnding(ending: ProcessEnding, context: EndingContext): HandlerOutcome {
  const error = errorOf(ending, context);
  const seen = seenOf(context);
  const message = seen === '' ? error.message : `${error.message}; ${seen}`;
  const work = context.entered ? 'cut_off' : 'not_begun';
  const failed = { status: 'failed', error: { ...error, message }, work, seen } as const;
  return ending.code === null || isUnclear(ending) ? failed : { ...failed, exitCode: ending.code };
}

/** What the reason of a run should say that was stopped for another one. */
function seenOf({ blockedMs, killed }: EndingContext): string {
  if (blockedMs > 0) return `its event loop was blocked for ${formatSpan(blockedMs)}`;
  return killed?.why === 'stubborn' ? 'it did not end when told to, and was killed' : '';
}

function errorOf({ code, signal, lastWords }: ProcessEnding, context: EndingContext): RunError {
  const { killed, memoryLimitMb } = context;
  const outOfMemory = `allocated more than its memory limit of ${memoryLimitMb} MB`;
  if (killed?.why === 'memory')
    return { name: 'OutOfMemory', message: `${outOfMemory} (its process held ${killed.heldMb} MB)` };
  if (killed?.why === 'stubborn') {
    const waited = formatSpan(killed.waitedMs);
    return {
      name: 'Killed',
      message: `was killed ${waited} after it was told to stop because ${abortWords(context.signal)}`,
    };
  }
  if (killed?.why === 'unloaded')
    return { name: 'TaskNotLoaded', message: `its module was not loaded within ${formatSpan(killed.waitedMs)}` };
  const orSignal = isUnclear({ code, signal }) ? ', or by a real-time signal,' : '';
  if (HEAP_EXHAUSTED.test(lastWords)) return { name: 'OutOfMemory', message: outOfMemory };
  const how = signal === null ? `with exit code ${code}${orSignal}` : `by ${signal}${hintOf(signal)}`;
  const said = lastLineOf(lastWords);
  return {
    name: 'ProcessEnded',
    message: `its process ended ${how} ${context.entered ? 'before the handler did' : 'before the handler was called'}`,
    ...(said === '' ? {} : { fields: { lastWords: said } }),
  };
}

/** Node says this of a process that a real-time signal has killed, too. */
function isUnclear({ code, signal }: Pick<ProcessEnding, 'code' | 'signal'>): boolean {
  return code === 0 && signal === null;
}

function hintOf(signal: NodeJS.Signals): string {
  return signal === 'SIGKILL' ? ', perhaps for lack of memory' : '';
}

function lastLineOf(words: string): string {
  return words.trim().slice(-1000);
}
