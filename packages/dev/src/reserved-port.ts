import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '@escapement/servers';
import { claimFolder } from './claim.ts';
import { isRunning } from './process-tree.ts';

/** A port of this machine that no other fleet for development takes until it is released, or its process ends. */
export interface ReservedPort {
  port: number;
  release(): void;
}

/** An app binds its port a second after that was chosen: of two fleets that start together each would find the same one free. */
export async function reservePort(preferred: number, folder = tmpdir()): Promise<ReservedPort> {
  for (let wanted = preferred; ; wanted = 0) {
    const port = await freePort(wanted);
    const claim = await claimFolder(path.join(folder, `escapement-dev-port-${port}.json`), async (pid) =>
      isRunning(pid),
    );
    if ('release' in claim) return { port, release: claim.release };
  }
}
