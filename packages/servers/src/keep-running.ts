import { setTimeout as delay } from 'node:timers/promises';
import { EscapementError, MINUTE, SECOND } from '@escapement/core';
import type { EmbeddedServer } from './embedded.ts';

/** A server that ends more often than this within a minute is given up. */
export const MOST_RESTARTS = 5;
const WITHIN_MS = MINUTE;
/** Between the first end and a start; then as long each time as the ends of that minute times this. */
const PAUSE_MS = SECOND;

export interface KeptServer {
  title: string;
  /** Where it writes what ails it. */
  logFile: string;
  /** Starts it on the same data, on this port if that is free. */
  start: (port: number) => Promise<EmbeddedServer>;
  log: (line: string) => void;
  /** It answers again after an end. */
  onBack?: (() => void) | undefined;
  /** It ends again and again, or does not start any more. */
  giveUp: (error: EscapementError) => void;
}

/** Starts an embedded server anew each time it ends although nobody stopped it. The result ends that, and the server. */
export function keepRunning(
  first: EmbeddedServer,
  { title, logFile, start, log, onBack, giveUp }: KeptServer,
): () => Promise<void> {
  const { port } = first;
  let server = first;
  const stopping = new AbortController();
  const kept = keep().catch((error) => giveUp(givenUp(title, error)));

  async function keep(): Promise<void> {
    const ends: number[] = [];
    for (;;) {
      await Promise.race([server.ended, aborted(stopping.signal)]);
      if (stopping.signal.aborted) return;
      ends.push(performance.now());
      const lately = ends.filter((at) => performance.now() - at < WITHIN_MS).length;
      if (lately > MOST_RESTARTS) throw endsAgain(title, lately, logFile);
      log(`${title} (process ${server.pid}) has ended although nobody stopped it; starting it again on its data`);
      await delay((lately - 1) * PAUSE_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted) return;
      server = await start(port);
      if (server.port !== port) throw movedAway(title, port);
      log(`${title} answers again, as process ${server.pid}`);
      onBack?.();
    }
  }

  return async () => {
    stopping.abort();
    await kept;
    await server.stop();
  };
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

function endsAgain(title: string, times: number, logFile: string): EscapementError {
  return new EscapementError('server_ends_again', `${title} has ended ${times} times within a minute`, {
    fix: `see the end of ${logFile}; memory or disk may be full`,
  });
}

function movedAway(title: string, port: number): EscapementError {
  return new EscapementError('port_taken', `${title} has ended, and another program has taken its port ${port}`, {
    fix: 'end that program, and start again',
  });
}

/** What is no error of ours is one all the same to whoever reads it. */
function givenUp(title: string, error: unknown): EscapementError {
  if (error instanceof EscapementError) return error;
  return new EscapementError('server_start', `${title} has ended and does not start again: ${String(error)}`, {
    cause: error,
  });
}
