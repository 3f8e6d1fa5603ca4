import { close, url } from 'node:inspector';

/**
 * Node opens a debugger on SIGUSR1, which each process of the same user may send: whoever connects to it runs code in here, and has
 * all that this process has. From now on the signal does nothing, and what was opened while the process started is closed. A process
 * that was started with `--inspect` keeps its debugger.
 */
export function refuseDebugger(): void {
  process.on('SIGUSR1', () => undefined);
  if (url() !== undefined && !isDebugged()) close();
}

/** Whoever started this process asked for a debugger: every user of this machine may connect to it. */
export function isDebugged(): boolean {
  return [...process.execArgv, process.env.NODE_OPTIONS ?? ''].some((option) =>
    /--inspect(-brk|-wait)?(=|\s|$)/.test(option),
  );
}
