import { EscapementError } from './errors.ts';

/** Says of what the operating system refuses, with what helps. */
const REASONS: Readonly<Record<string, readonly [why: string, fix: string]>> = {
  EACCES: ['permission denied', 'give this user the right, or name another place'],
  EPERM: ['this user may not', 'give this user the right, or name another place'],
  ENOENT: ['there is no such file', 'correct the path'],
  ENOTDIR: ['a part of the path is no folder', 'correct the path'],
  EISDIR: ['it is a folder', 'give the path of a file'],
  ELOOP: ['symbolic links lead in a circle', 'correct the links'],
  ENAMETOOLONG: ['the name is too long', 'give a shorter one'],
  EROFS: ['the file system can only be read', 'name another place'],
  ENOSPC: ['no space is left on the device', 'make room, or name another place'],
  EDQUOT: ['the quota of this user is used up', 'make room, or name another place'],
  EFBIG: ['the file is too large', 'name another place'],
  EIO: ['the device reports an error', 'look at the log of the system'],
  EMFILE: ['this process has too many files open', 'raise its limit (ulimit -n), to 1024 for one'],
  ENFILE: ['the machine has too many files open', 'raise its limit (sysctl fs.file-max)'],
  ENOMEM: ['there is no memory left', 'give it more'],
  EAGAIN: ['the machine gives no more for now', 'try again, or raise the limit (ulimit -u)'],
  EADDRINUSE: ['another process has it', 'end that process, or choose another'],
};

/** Why the operating system refused, in words: `permission denied`. */
export function systemReason(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return REASONS[code]?.[0] ?? (code || (error instanceof Error ? error.message : String(error)));
}

/**
 * An error of the operating system in a sentence: what was tried, with what, and what helps. Such an error is a matter of the surroundings,
 * wherever it comes from. Undefined for any other error.
 */
export function explainSystemError(error: unknown): EscapementError | undefined {
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return undefined;
  const { code, syscall } = error;
  if (typeof code !== 'string' || !/^E[A-Z0-9]+$/.test(code)) return undefined;
  const [why, fix] = REASONS[code] ?? [error.message, undefined];
  const what = 'path' in error && typeof error.path === 'string' ? `${syscall} ${error.path}` : String(syscall);
  return new EscapementError('system_refused', `the system refused \`${what}\`: ${why} (${code})`, {
    ...(fix !== undefined && { fix }),
    cause: error,
  });
}
