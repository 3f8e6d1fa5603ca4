import type { HandlerOutcome } from '@escapement/core';
import { signalName } from './signal-name.ts';

/** How a process ended. */
export interface Ending {
  code: number | null;
  /** By name, as `SIGTERM` or `SIGRTMIN+3`. */
  signal: string | null;
  /** It may as well have been killed by this signal: nobody can tell. */
  perhaps?: string;
  /** It ended after it had been asked to. */
  stopped: boolean;
}

export interface EndingContext {
  /** Why it was stopped, if it was. */
  stopReason: string;
  path: string;
  lastLines: string;
}

/** The outcome of a process, in words that say what to look for. */
export function outcomeOfEnding(ending: Ending, context: EndingContext): HandlerOutcome {
  // A process that was asked to stop may say 0 without having finished its work.
  if (ending.code === 0 && !ending.stopped) return { status: 'succeeded', exitCode: 0 };
  const how = describeEnding(ending, context.path);
  const error = {
    name: ending.stopped ? 'Aborted' : 'ProcessFailed',
    message: ending.stopped ? `stopped because ${context.stopReason} (the process ${how})` : how,
    fields: {
      ...(ending.signal === null ? {} : { signal: ending.signal }),
      ...(context.lastLines === '' ? {} : { lastLines: context.lastLines }),
    },
  };
  // Killed by somebody else than its worker: it never said how far it came.
  const work = ending.code === null || ending.perhaps !== undefined ? { work: 'cut_off' as const } : {};
  return { status: 'failed', error, ...(ending.code === null ? {} : { exitCode: ending.code }), ...work };
}

function describeEnding({ code, signal, stopped, perhaps }: Ending, path: string): string {
  const hint = (name: string) => (name === 'SIGKILL' && !stopped ? ', perhaps for lack of memory' : '');
  if (signal !== null) return `was killed by ${signal}${hint(signal)}`;
  const exited = `exited with code ${code}`;
  if (perhaps !== undefined) return `${exited}, or was killed by ${perhaps}`;
  if (code === 126) return `${exited}: a command was found but could not be executed (permission, or not a program)`;
  if (code === 127) return `${exited}: a command was not found (PATH was ${path})`;
  const inner = code === null || code <= 128 ? undefined : signalName(code - 128);
  return inner ? `${exited}: a command in it was killed by ${inner}${hint(inner)}` : exited;
}
