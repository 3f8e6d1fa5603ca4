import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SECOND } from '@escapement/core';
import { afterFile } from './clean-up.ts';

/** A wall clock for one process that can be set while it runs; its monotonic clock goes on as it is. */
export interface SkewedClock {
  /** For the process' environment. */
  readonly env: Record<string, string>;
  /** From now on the process' clock is so far ahead of the machine's; negative: behind. Milliseconds. */
  set(aheadMs: number): void;
}

/** Undefined where libfaketime is not installed (Debian: `apt-get install faketime`). */
export function skewedClock(): SkewedClock | undefined {
  const library = findLibrary();
  if (library === undefined) return undefined;
  const file = join(tmpdir(), `testkit-clock-${randomUUID()}`);
  const set = (aheadMs: number) => {
    // Replaced as a whole: the process reads it at each look at its clock.
    writeFileSync(`${file}.new`, `${aheadMs < 0 ? '-' : '+'}${Math.abs(aheadMs) / SECOND}`);
    renameSync(`${file}.new`, file);
  };
  set(0);
  afterFile(() => rmSync(file, { force: true }));
  return {
    set,
    env: {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
  };
}

/** With threads: Node has some. */
const LIBRARY = 'libfaketimeMT.so.1';

function findLibrary(): string | undefined {
  const folders = ['/usr/lib/faketime', '/usr/local/lib/faketime'];
  // Debian keeps it under the machine's triplet, such as x86_64-linux-gnu.
  if (existsSync('/usr/lib'))
    folders.push(...readdirSync('/usr/lib').map((folder) => join('/usr/lib', folder, 'faketime')));
  return folders.map((folder) => join(folder, LIBRARY)).find((path) => existsSync(path));
}
