import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../context.ts';

const CLEAR = '\x1b[H\x1b[2J';

export interface Refresh {
  /** Reads what is to be shown, and returns what shows it. */
  look: () => Promise<() => void>;
  everyMs: number;
  signal: AbortSignal;
  /** Whether there is nothing more to come. Default: there always is. */
  isOver?: () => boolean;
}

/** Shows the same again and again: on a terminal in the same place, else one below the other. */
export async function refresh({ look, everyMs, signal, isOver }: Refresh, { output }: Context): Promise<void> {
  for (;;) {
    const show = await look();
    if (output.isTerminal && output.format === 'table') output.raw(CLEAR);
    show();
    if (isOver?.() || signal.aborted) return;
    await sleep(everyMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
  }
}
