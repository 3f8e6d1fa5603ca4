import { spawn } from 'node:child_process';

export interface CommandResult {
  /** The exit code; 127 when the program does not exist, 124 when it was ended for taking too long. */
  code: number;
  stdout: string;
  stderr: string;
}

export interface CommandOptions {
  cwd?: string;
  uid?: number | undefined;
  gid?: number | undefined;
  /** Milliseconds until the program is killed. Default 60,000. */
  timeoutMs?: number;
}

const NOT_FOUND = 127;
const TIMED_OUT = 124;

/** Runs a program to its end and collects what it says. Never throws: a failure is a code other than 0. */
export function run(command: string, args: string[], options: CommandOptions = {}): Promise<CommandResult> {
  const { timeoutMs = 60_000, cwd, uid, gid } = options;
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(cwd === undefined ? {} : { cwd }),
      ...(uid === undefined ? {} : { uid }),
      ...(gid === undefined ? {} : { gid }),
    });
    let [stdout, stderr, timedOut] = ['', '', false];
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    const timer = setTimeout(() => {
      timedOut = true;
      child.kill('SIGKILL');
    }, timeoutMs);
    const end = (code: number) => {
      clearTimeout(timer);
      resolve({ code: timedOut ? TIMED_OUT : code, stdout, stderr });
    };
    child.once('error', (error: NodeJS.ErrnoException) => {
      stderr += error.message;
      end(error.code === 'ENOENT' ? NOT_FOUND : 126);
    });
    child.once('close', (code) => end(code ?? 1));
  });
}

/** The last lines of what a failed program said, for an error message. */
export function lastWords(result: CommandResult, lines = 5): string {
  const text = (result.stderr.trim() || result.stdout.trim()).split('\n').slice(-lines).join('\n');
  return text || `exit code ${result.code}`;
}
