import { setTimeout as wait } from 'node:timers/promises';
import { deadGroups } from './dead-groups.ts';

const POLL_MS = 25;
/** A process that was killed ends within milliseconds, except where a device holds it: nobody waits for that. */
const KILLED_MS = 500;

/** A process and its descendants, as far as they did not found a group of their own (`setsid`). */
export class ProcessGroup {
  readonly id: number;

  constructor(leaderPid: number) {
    this.id = leaderPid;
  }

  /** False when nobody is left. */
  signal(signal: NodeJS.Signals | 0): boolean {
    try {
      return process.kill(-this.id, signal);
    } catch (error) {
      // EPERM: somebody is there who became another user.
      return error instanceof Error && 'code' in error && error.code === 'EPERM';
    }
  }

  /** SIGTERM; what has not ended after `killAfterMs` gets SIGKILL. Resolves when nobody is left but zombies. */
  async stop(killAfterMs: number): Promise<void> {
    this.signal('SIGTERM');
    // A stopped process would not see the SIGTERM.
    this.signal('SIGCONT');
    if (await this.#endsWithin(killAfterMs)) return;
    this.signal('SIGKILL');
    await this.#endsWithin(KILLED_MS);
  }

  /** Whether nobody is left but zombies, at the latest after this time. */
  async #endsWithin(limitMs: number): Promise<boolean> {
    let seenDead = 0;
    for (let waitedMs = 0; waitedMs < limitMs; waitedMs += POLL_MS) {
      if (!this.signal(0)) return true;
      // Twice: one that was born during the first look, to one that died in it, is in the second.
      seenDead = (await deadGroups()).has(this.id) ? seenDead + 1 : 0;
      if (seenDead === 2) return true;
      await wait(Math.min(POLL_MS, limitMs - waitedMs));
    }
    return false;
  }
}
