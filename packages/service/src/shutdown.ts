import { SECOND } from '@escapement/core';
import type { Logger } from './logger.ts';
import { systemTimer, type Timer } from './timer.ts';

export interface ShutdownOptions {
  /** Ends all services; called once. */
  stop: (reason: string) => Promise<void>;
  /** How long `stop` may take; at most 5 s later the process ends whatever happens (I11). Milliseconds. */
  graceMs: number;
  log: Logger & { end?(): Promise<void> };
  /** Whether an error that nobody caught is somebody's own affair, a run's for instance: then the process goes on. */
  claim?: (error: unknown, kind: 'error' | 'rejection') => boolean;
  /** Default `process.exit`. */
  exit?: (code: number) => void;
  /** Where signals and stray errors come from. Default `process`. */
  signals?: SignalSource;
  timer?: Timer;
}

/** The part of `process` that is needed here. */
export interface SignalSource {
  on(event: string, listener: (argument: unknown) => void): unknown;
  off(event: string, listener: (argument: unknown) => void): unknown;
}

export interface Shutdown {
  /** Ends the process as the first signal would; for a main that cannot go on. */
  shutdown(reason: string, exitCode?: number): void;
  /** Listens no longer. */
  dispose(): void;
}

/** Of the 5 s after the grace time, one second is for the last lines of the log. */
const HARD_EXIT_AFTER_GRACE_MS = 4 * SECOND;

const SIGNAL_EXIT_CODES = { SIGTERM: 143, SIGINT: 130 };

/**
 * Makes the process end well: the first SIGTERM or SIGINT stops it (exit 0), a second one ends it at once
 * (143 or 130), an error that nobody caught stops it and exits 1, as does a stop that fails or takes too long.
 */
export function runUntilSignal(options: ShutdownOptions): Shutdown {
  const { stop, graceMs, timer = systemTimer } = options;
  const log = options.log.child({ who: 'process' });
  const end = endOnce(options);
  let stopping = false;
  let exitCode = 0;

  function shutdown(reason: string, code = 0): void {
    exitCode ||= code;
    if (stopping) return;
    stopping = true;
    log.info({ reason, graceMs }, 'stopping');
    const cancelHardExit = timer.after(graceMs + HARD_EXIT_AFTER_GRACE_MS, () => {
      log.fatal({ graceMs }, 'could not stop in time');
      end(1);
    });
    stopWell(reason).finally(() => {
      cancelHardExit();
      end(exitCode);
    });
  }

  async function stopWell(reason: string): Promise<void> {
    try {
      await stop(reason);
      log.info({}, 'stopped');
    } catch (err) {
      exitCode = 1;
      log.fatal({ err }, 'could not stop well');
    }
  }

  function onSignal(signal: keyof typeof SIGNAL_EXIT_CODES): void {
    if (!stopping) return shutdown(signal);
    log.fatal({ signal }, 'second signal: ending at once');
    end(SIGNAL_EXIT_CODES[signal]);
  }

  function onStrayError(err: unknown, kind: 'error' | 'rejection'): void {
    if (options.claim?.(err, kind)) return;
    log.fatal({ err }, 'error that nobody caught');
    shutdown('an error that nobody caught', 1);
  }

  return { shutdown, dispose: listen(options.signals ?? process, onSignal, onStrayError) };
}

/** Ends the process by the first call; the others come too late. */
function endOnce({ log, exit = (code) => process.exit(code) }: ShutdownOptions): (exitCode: number) => void {
  let ended = false;
  return (exitCode) => {
    if (ended) return;
    ended = true;
    const written = log.end?.() ?? Promise.resolve();
    written.catch(() => undefined).then(() => exit(exitCode));
  };
}

function listen(
  signals: SignalSource,
  onSignal: (signal: keyof typeof SIGNAL_EXIT_CODES) => void,
  onStrayError: (error: unknown, kind: 'error' | 'rejection') => void,
): () => void {
  const listeners: [string, (argument: unknown) => void][] = [
    ['SIGTERM', () => onSignal('SIGTERM')],
    ['SIGINT', () => onSignal('SIGINT')],
    ['uncaughtException', (error) => onStrayError(error, 'error')],
    ['unhandledRejection', (error) => onStrayError(error, 'rejection')],
  ];
  for (const [event, listener] of listeners) signals.on(event, listener);
  return () => {
    for (const [event, listener] of listeners) signals.off(event, listener);
  };
}
