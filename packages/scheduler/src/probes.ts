import type { Clock } from '@escapement/core';
import { PROBE_KINDS, type ProbeKind } from '@escapement/store';

/** What the loops of a scheduler ask before they look for work themselves: one statement answers all of them. */
export interface Probes {
  /** Whether there may be work with rows of one of these kinds. True where a probe fails: the loop then sees the error itself. */
  see(...kinds: ProbeKind[]): Promise<boolean>;
  /** The next question is answered by a new probe: something has changed. */
  forget(): void;
}

/** Without slots: where none is held all of them would have to be read. */
export const SHARED_KINDS = PROBE_KINDS.filter((kind) => kind !== 'slots');

/** A probe answers for so long, in milliseconds: less than the shortest wait of a loop. */
const FRESH_MS = 450;
/**
 * The same where none was seen. Hints announce what people and handlers make, but not a retry: its first one in an idle fleet may be
 * dispatched this much later.
 */
const NONE_FRESH_MS = 950;

export interface ProbesOptions {
  /** Looks which of `SHARED_KINDS` there are. */
  look: () => Promise<ReadonlySet<ProbeKind>>;
  clock: Clock;
}

export function createProbes({ look, clock }: ProbesOptions): Probes {
  let last: { seen: Promise<ReadonlySet<ProbeKind>>; atMs: number; freshMs: number } | undefined;

  function probe(): Promise<ReadonlySet<ProbeKind>> {
    const atMs = clock.monotonicMs();
    if (last && atMs - last.atMs < last.freshMs) return last.seen;
    const own = { seen: look().catch(() => new Set(SHARED_KINDS)), atMs, freshMs: FRESH_MS };
    void own.seen.then(({ size }) => {
      if (size === 0) own.freshMs = NONE_FRESH_MS;
    });
    last = own;
    return own.seen;
  }

  return {
    async see(...kinds) {
      const seen = await probe();
      return kinds.some((kind) => seen.has(kind));
    },
    forget() {
      last = undefined;
    },
  };
}

/** For a loop of its own: it looks each time. */
export const NO_PROBES: Probes = { see: async () => true, forget: () => undefined };
