import { EventEmitter } from 'node:events';
import type { SignalSource } from '@escapement/service';

/** Whether an error that nobody caught is not the process' own, but that of a run in it. */
export type Claim = (error: unknown, kind: 'error' | 'rejection') => boolean;

/** The process that a program runs in. */
export interface ProcessHost {
  /** Where signals and stray errors come from. */
  signals: SignalSource;
  /** The program has ended. */
  exit(code: number): void;
  /** From here on the program is asked whose a stray error is. */
  asks(claim: Claim): void;
}

/** What is needed of the process itself. */
export interface RealProcess extends SignalSource {
  exit(code: number): void;
}

/** `exit` is looked up when it is called: a worker replaces it while handlers run in its process. */
const thisProcess: RealProcess = {
  on: (event, listener) => process.on(event, listener),
  off: (event, listener) => process.off(event, listener),
  exit: (code) => process.exit(code),
};

const STRAY = { uncaughtException: 'error', unhandledRejection: 'rejection' } as const;

/**
 * For so many programs in one process. Returns what makes the host of each. A signal goes to all of them, and so does an error that none of them claims;
 * when one has ended, the others are told to. The process ends once all have, with the first exit code that is not 0.
 */
export function shareProcess(programs: number, real: RealProcess = thisProcess): () => ProcessHost {
  const running = new Set<EventEmitter>();
  const claims: Claim[] = [];
  let toEnd = programs;
  let stopping = false;
  let exitCode = 0;

  function reportAll(event: string, argument?: unknown): void {
    stopping = true;
    for (const program of running) program.emit(event, argument);
  }

  for (const signal of ['SIGTERM', 'SIGINT']) real.on(signal, () => reportAll(signal));
  for (const [event, kind] of Object.entries(STRAY))
    real.on(event, (error) => {
      if (!claims.some((claim) => claim(error, kind))) reportAll(event, error);
    });

  return () => {
    const signals = new EventEmitter();
    running.add(signals);
    return {
      signals,
      asks: (claim) => void claims.push(claim),
      exit(code) {
        exitCode ||= code;
        running.delete(signals);
        toEnd -= 1;
        if (toEnd === 0) real.exit(exitCode);
        else if (!stopping) reportAll('SIGTERM');
      },
    };
  };
}
