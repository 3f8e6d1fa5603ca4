import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';

/** Reports that wait to be sent: some days of a busy crontab. The oldest give way. */
export const MOST_WAITING = 5000;

/** Who sends renews its claim; one that is older is that of a process that has died. Milliseconds. */
const CLAIM_MS = 5 * 60_000;
/** After a failed try so long nobody tries again. Milliseconds. */
const REST_MS = 20_000;

const [CLAIM, FAILED] = ['sending', 'failed'];

/** Where reports wait: a folder of the user that runs the lines. */
export function spoolOf(env: Readonly<Record<string, string | undefined>>): Spool {
  const state = env.XDG_STATE_HOME || path.join(env.HOME || homedir(), '.local', 'state');
  return new Spool(path.join(state, 'escapement', 'reports'));
}

/** Reports as files, a file each, in the order in which they were made. They are written whole, or not at all. */
export class Spool {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  /** Adds a report. `order`: later ones have a greater one. */
  add(order: string, report: object): void {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    const unfinished = path.join(this.folder, `${order}.part`);
    const file = openSync(unfinished, 'w', 0o600);
    try {
      writeSync(file, JSON.stringify(report));
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(unfinished, path.join(this.folder, `${order}.json`));
    for (const oldest of this.waiting().slice(0, -MOST_WAITING)) this.remove(oldest);
  }

  /** Names of the reports that wait, the oldest first. */
  waiting(): string[] {
    try {
      return readdirSync(this.folder)
        .filter((name) => name.endsWith('.json'))
        .sort();
    } catch {
      return [];
    }
  }

  /** Undefined: it cannot be read, or is none. */
  read(name: string): unknown {
    try {
      return JSON.parse(readFileSync(path.join(this.folder, name), 'utf8'));
    } catch {
      return undefined;
    }
  }

  remove(name: string): void {
    rmSync(path.join(this.folder, name), { force: true });
  }

  /** Whether somebody should try to send now: something waits, nobody does it, and no try has just failed. */
  isToSend(nowMs: number): boolean {
    return this.waiting().length > 0 && this.ageOf(CLAIM, nowMs) > CLAIM_MS && this.ageOf(FAILED, nowMs) > REST_MS;
  }

  /** Of several that would send, one may. */
  claim(nowMs: number): boolean {
    if (this.ageOf(CLAIM, nowMs) > CLAIM_MS) this.remove(CLAIM);
    try {
      closeSync(openSync(path.join(this.folder, CLAIM), 'wx', 0o600));
      return true;
    } catch {
      return false;
    }
  }

  /** Ends a claim. */
  release({ failed }: { failed: boolean }): void {
    if (failed) writeFileSync(path.join(this.folder, FAILED), '');
    else this.remove(FAILED);
    this.remove(CLAIM);
  }

  private ageOf(name: string, nowMs: number): number {
    const ms = statSync(path.join(this.folder, name), { throwIfNoEntry: false })?.mtimeMs;
    return ms === undefined ? Number.POSITIVE_INFINITY : Math.abs(nowMs - ms);
  }
}
