import { type FileHandle, open, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { EscapementError } from '@escapement/core';

/** A crontab on this host, as it was read. */
export interface CrontabFile {
  /** Where it is, links resolved. */
  file: string;
  bytes: Buffer;
}

/** Throws `cannot_read` for what is no readable file. */
export async function readCrontabFile(file: string): Promise<CrontabFile> {
  try {
    const real = await realpath(file);
    return { file: real, bytes: await readFile(real) };
  } catch (error) {
    throw new EscapementError('cannot_read', `the crontab ${file} cannot be read: ${codeOf(error)}`, {
      fix: "name a file that this user may read; of a user's own crontab: `crontab -l | escapement shadow patch - --source NAME | crontab -`",
      cause: error,
    });
  }
}

/**
 * Puts other bytes in the place of a crontab, as a whole: whoever reads it sees the old file or the new one. Owner and mode stay. Throws
 * `file_changed` where somebody has written to it meanwhile, `cannot_write`.
 */
export async function replaceCrontabFile({ file, bytes }: CrontabFile, replacement: Buffer): Promise<void> {
  // cron reads no file in /etc/cron.d whose name begins with a dot.
  const unfinished = path.join(path.dirname(file), `.${path.basename(file)}.escapement-${process.pid}`);
  try {
    const { mode, uid, gid } = await stat(file);
    const handle = await open(unfinished, 'wx', 0o600);
    await writeAs(handle, replacement, { mode, uid, gid });
    if (!(await readFile(file)).equals(bytes))
      throw new EscapementError(
        'file_changed',
        `the crontab ${file} was changed while it was read; nothing is changed by this command`,
        {
          fix: 'give the command again',
        },
      );
    await rename(unfinished, file);
    await syncFolder(path.dirname(file));
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => undefined);
    if (error instanceof EscapementError) throw error;
    throw new EscapementError(
      'cannot_write',
      `the crontab ${file} cannot be replaced: ${codeOf(error)}; it is as it was`,
      {
        fix: 'give the command as the owner of the file and of its folder',
        cause: error,
      },
    );
  }
}

async function writeAs(
  handle: FileHandle,
  bytes: Buffer,
  { mode, uid, gid }: { mode: number; uid: number; gid: number },
): Promise<void> {
  try {
    await handle.writeFile(bytes);
    if (process.getuid?.() !== uid || process.getgid?.() !== gid) await handle.chown(uid, gid);
    await handle.chmod(mode & 0o7777);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
