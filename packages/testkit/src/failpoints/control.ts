import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type Arming,
  type ArmingOptions,
  type Failpoint,
  type LoaderData,
  pointName,
  type SourcePatch,
} from './patch.ts';

const LOOK_MS = 20;

/** What to inject into a process: functions that may be armed, guards that are taken away from the start. */
export interface Injection {
  failpoints?: readonly Failpoint[];
  patches?: readonly SourcePatch[];
}

/** Something that will happen at a failpoint. */
export interface Armed {
  /** Resolves when it has happened for the first time; false: not within that time. */
  fired(timeoutMs: number): Promise<boolean>;
  /** Takes it back. */
  disarm(): void;
}

/** Arms the failpoints of one process, while it lives. */
export interface FailpointControl {
  /** For the process' environment. */
  readonly env: Record<string, string>;
  arm(options: ArmingOptions): Armed;
  /** Deletes its files. */
  close(): void;
}

export function createFailpointControl({ failpoints = [], patches = [] }: Injection): FailpointControl {
  const controlFile = join(tmpdir(), `testkit-failpoints-${randomUUID()}.json`);
  const data: LoaderData = { controlFile, failpoints, patches };
  let armings: Arming[] = [];

  function write(next: Arming[]): void {
    armings = next;
    // At once, so that nobody reads half of it.
    writeFileSync(`${controlFile}.new`, JSON.stringify(armings));
    renameSync(`${controlFile}.new`, controlFile);
  }

  async function fired(id: string, timeoutMs: number): Promise<boolean> {
    const endMs = performance.now() + timeoutMs;
    for (;;) {
      if (firedIds(controlFile).includes(id)) return true;
      if (performance.now() >= endMs) return false;
      await delay(LOOK_MS);
    }
  }

  return {
    env: { TESTKIT_LOADER: JSON.stringify(data) },
    arm({ point, ...rest }) {
      const name = pointName(point);
      if (!failpoints.some((each) => pointName(each) === name)) throw new Error(`${name} was not injected`);
      const id = randomUUID();
      write([...armings, { ...rest, id, point: name }]);
      return {
        fired: (timeoutMs) => fired(id, timeoutMs),
        disarm: () => write(armings.filter((arming) => arming.id !== id)),
      };
    },
    close() {
      for (const suffix of ['', '.new', '.fired']) rmSync(`${controlFile}${suffix}`, { force: true });
    },
  };
}

function firedIds(controlFile: string): string[] {
  const file = `${controlFile}.fired`;
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
}
