import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterFile } from '@escapement/testkit';
import { expect } from 'vitest';

/** What a reader started in a terminal and left running. */
export interface Terminal {
  /** All lines so far. */
  lines(): string[];
  /** Waits until a line is there that begins so. */
  waitFor(begin: string): Promise<void>;
  /** Does something, and waits until a line with such words has come once more. */
  whileStarting(words: string, action: () => void): Promise<void>;
  /** Ctrl-C, and the end of all that it has started. */
  interrupt(): Promise<void>;
}

/** A start compiles the dashboard, and a busy machine takes its time. */
const START_MS = 180_000;

/** Opens a terminal, and starts a command in it that goes on. */
export function openTerminal(command: string, { cwd, env }: { cwd: string; env: NodeJS.ProcessEnv }): Terminal {
  const child = spawn('sh', ['-c', command], { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  const keep = (piece: Buffer) => {
    printed += piece.toString();
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  const ended = once(child, 'close');
  const interrupt = async () => {
    signalAll(child);
    await ended;
  };
  afterFile(interrupt);
  const lines = () => printed.split('\n');
  return {
    lines,
    interrupt,
    async whileStarting(words, action) {
      const count = () => lines().filter((line) => line.includes(words)).length;
      const before = count();
      action();
      await expect.poll(count, { timeout: START_MS }).toBeGreaterThan(before);
    },
    async waitFor(begin) {
      await expect
        .poll(() => lines().some((line) => line.startsWith(begin)) || child.exitCode !== null, { timeout: START_MS })
        .toBe(true);
      if (child.exitCode !== null) throw new Error(`${command} ended with ${child.exitCode}:\n${printed}`);
    },
  };
}

/** As Ctrl-C does: all processes of the terminal get the signal. */
function signalAll({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, 'SIGINT');
}
