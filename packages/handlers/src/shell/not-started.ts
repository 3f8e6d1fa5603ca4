import { EscapementError } from '@escapement/core';

/** What spawn's error means for the user; see execve(2) and fork(2). */
export function notStarted(error: unknown, started: { program: string; env: Record<string, string> }): EscapementError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const [what, fix] = reason(code, started.program, started.env.PATH ?? '') ?? [
    `it cannot be started: ${String(error)}`,
  ];
  return new EscapementError('not_started', what, fix === undefined ? { cause: error } : { fix, cause: error });
}

function reason(code: string, program: string, path: string): [what: string, fix: string] | undefined {
  switch (code) {
    case 'ENOENT':
      return [`the program ${program} was not found on this worker`, `install it or correct the path; PATH is ${path}`];
    case 'EACCES':
    case 'EPERM':
      return [`the program ${program} cannot be executed`, 'check its permissions and those of the working directory'];
    case 'ENOEXEC':
      return [`${program} is not a program that this system can run`, 'check its format and its first line (#!)'];
    case 'E2BIG':
      return ['arguments and environment are too large', 'pass large data by a file or by standard input'];
    case 'EAGAIN':
      return ['the system has no room for another process', 'raise its limit of processes, or run fewer at once'];
    case 'ENOMEM':
      return ['the system has no memory for another process', 'give the worker more memory, or run fewer at once'];
    default:
      return undefined;
  }
}
