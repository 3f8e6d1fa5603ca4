import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { systemClock } from '@escapement/core';
import { type Pace, paceOf, type Turn, turnsSince } from './pace.ts';

const PROBE = fileURLToPath(new URL('./probe.mjs', import.meta.url));

interface ReportedTurn extends Turn {
  /** When the next one is due. */
  nextMs: number;
}

/** Measures how much of the processors a process gets that wants some. Takes 3 % of one. */
export interface Probe {
  /** Of the time until now. */
  pace(): Pace;
  /** Tells how many fair milliseconds have passed since this call. */
  stopwatch(): () => number;
  /** Tells whether so many have. */
  patience(fairMs: number): () => boolean;
  stop(): void;
}

/** Resolves when it has had its first turn. It ends with this process at the latest. */
export async function startProbe(): Promise<Probe> {
  const child = fork(PROBE, { execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const turns: ReportedTurn[] = [];
  let workMs = Number.POSITIVE_INFINITY;
  await new Promise<void>((resolve, reject) => {
    child.on('message', (turn: ReportedTurn) => {
      turns.push(turn);
      workMs = Math.min(workMs, turn.cpuMs);
      resolve();
    });
    child.once('exit', () => reject(new Error('the probe has ended')));
  });
  child.unref();
  child.channel?.unref();
  // Who waits asks often, and there are thousands of turns.
  const paceSince = (fromMs: number) => paceOf([...turnsSince(turns, fromMs), ...underWay(turns)], workMs);
  const pace = () => paceSince(Number.NEGATIVE_INFINITY);
  function stopwatch(): () => number {
    const fromMs = nowMs();
    return () => paceSince(fromMs).fairMs(fromMs, nowMs());
  }
  function patience(fairMs: number): () => boolean {
    const tookMs = stopwatch();
    return () => tookMs() > fairMs;
  }
  return { stop: () => void child.kill(), pace, stopwatch, patience };
}

function nowMs(): number {
  return systemClock.now().getTime();
}

/** The turn that is due and not done yet, as if it were done now. */
function underWay(turns: readonly ReportedTurn[]): Turn[] {
  const last = turns.at(-1);
  const doneMs = nowMs();
  return last && doneMs > last.nextMs ? [{ dueMs: last.nextMs, doneMs, cpuMs: last.cpuMs }] : [];
}
