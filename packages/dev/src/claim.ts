import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { systemClock } from '@escapement/core';

/** The URLs hold passwords. */
const OWNER_ONLY = 0o600;

/** What `.escapement/dev.json` says while the fleet runs, so that the command line finds the servers. */
export interface DevState {
  /** The process that runs the fleet; ending it ends everything. */
  pid: number;
  startedAt: string;
  /** Absent until the servers run. */
  databaseUrl?: string;
  redisUrl?: string;
  /** `ESCAPEMENT_EGRESS` of the apps. */
  egress?: string;
  /** Where the apps answer `/healthz` and `/readyz`. */
  health?: { scheduler: string; worker: string; api: string };
  /** Where the API answers, for whom has the token in `.escapement/api-token`. */
  apiUrl?: string;
}

export interface Claim {
  /** Replaces what the file says. */
  write(state: Omit<DevState, 'pid' | 'startedAt'>): void;
  /** Removes the file. */
  release(): void;
}

/**
 * Makes this process the one that runs the folder's fleet. A file that a killed process left counts for nothing.
 *
 * @param isRunning whether that process lives and runs a fleet; ids are recycled
 * @returns the state of the other process where there is one
 */
export async function claimFolder(
  file: string,
  isRunning: (pid: number) => Promise<boolean>,
): Promise<Claim | DevState> {
  const own: DevState = { pid: process.pid, startedAt: systemClock.now().toISOString() };
  mkdirSync(path.dirname(file), { recursive: true });
  while (!create(file, own)) {
    const other = readState(file);
    if (other && (await isRunning(other.pid))) return other;
    rmSync(file, { force: true });
  }
  return {
    write: (state) => replace(file, { ...own, ...state }),
    release: () => rmSync(file, { force: true }),
  };
}

/** Links a written file to its place: of two processes one succeeds, and neither sees half a file. */
function create(file: string, state: DevState): boolean {
  const written = write(file, state);
  try {
    linkSync(written, file);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(written);
  }
}

function replace(file: string, state: DevState): void {
  renameSync(write(file, state), file);
}

function write(file: string, state: DevState): string {
  const written = `${file}.${process.pid}`;
  writeFileSync(written, `${JSON.stringify(state, null, 2)}\n`, { mode: OWNER_ONLY });
  return written;
}

/** What such a file says; undefined: there is none. */
export const readDevState = (file: string | URL): DevState | undefined => readState(file);

function readState(file: string | URL): DevState | undefined {
  try {
    const state: Partial<DevState> = JSON.parse(readFileSync(file, 'utf8'));
    return typeof state.pid === 'number' ? { startedAt: '', ...state, pid: state.pid } : undefined;
  } catch {
    return undefined;
  }
}
