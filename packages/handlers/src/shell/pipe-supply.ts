import { execFile } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { EscapementError } from '@escapement/core';
import { HELPER_ENV } from '../helper-environment.ts';

const run = promisify(execFile);

/** Made at once, as each batch costs a process. */
const BATCH = 8;

/** Descriptors of a pipe's two ends. Whoever takes one closes both. */
export interface Pipe {
  read: number;
  write: number;
}

/**
 * Real pipes, as cron gives them. Node's own `stdio: 'pipe'` is a socket: `> /dev/stderr` and
 * `tee /dev/stdout` fail on it, and with one socket for each of stdout and stderr the order of
 * their lines is lost.
 */
export class PipeSupply {
  readonly #spare: Pipe[] = [];
  #making: Promise<void> | undefined;

  /** Throws `no_pipe` where no folder for temporary files can be written. */
  async take(): Promise<Pipe> {
    for (;;) {
      const pipe = this.#spare.pop();
      if (pipe) return pipe;
      this.#making ??= this.#make().finally(() => {
        this.#making = undefined;
      });
      await this.#making;
    }
  }

  async #make(): Promise<void> {
    const folder = await makeFolder();
    try {
      const paths = Array.from({ length: BATCH }, (_, index) => join(folder, String(index)));
      // Writable for all, so that a process of another user may open its own /dev/stdout; nobody
      // reaches them by a path, since the folder is closed to others and gone in a moment.
      await run('mkfifo', ['-m', '622', ...paths], { env: HELPER_ENV });
      for (const path of paths) this.#spare.push(openBothEnds(path));
    } catch (cause) {
      throw new EscapementError('no_pipe', `no pipe for the output could be made in ${folder}: ${String(cause)}`, {
        fix: 'the worker needs the program mkfifo, a writable folder for temporary files, and free file descriptors',
        cause,
      });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
}

/** The reader first, not blocking: a writer would wait for it. The writer's end must block, as programs expect. */
function openBothEnds(path: string): Pipe {
  const read = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    return { read, write: openSync(path, constants.O_WRONLY) };
  } catch (error) {
    closeSync(read);
    throw error;
  }
}

/** A container with a read-only root often has no writable /tmp, but a /dev/shm. */
async function makeFolder(): Promise<string> {
  const problems: string[] = [];
  for (const parent of [tmpdir(), '/dev/shm']) {
    try {
      return await mkdtemp(join(parent, 'escapement-'));
    } catch (error) {
      problems.push(String(error));
    }
  }
  throw new EscapementError('no_pipe', `no temporary folder can be written: ${problems.join('; ')}`, {
    fix: 'give the worker a writable /tmp (a tmpfs in a read-only container), or set TMPDIR',
  });
}
