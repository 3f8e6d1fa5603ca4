import type { DriftCounts, DriftKind } from '@escapement/core';

/** What one step of a pass has put right. */
export interface Healed {
  counts: DriftCounts;
  /** Whether it left some for the next pass, which then follows at once. */
  more: boolean;
}

/** One way of making queue and ledger equal again. Bounded; repeated, or done by two at once, it does nothing twice. */
export interface HealingStep {
  readonly name: string;
  heal(): Promise<Healed>;
}

export const NOTHING: Healed = { counts: {}, more: false };

/** A step that is one statement: it puts right at most `limit` and says how many. */
export function batchStep(name: DriftKind, limit: number, heal: (limit: number) => Promise<number>): HealingStep {
  return {
    name,
    async heal() {
      const healed = await heal(limit);
      return { counts: { [name]: healed }, more: healed >= limit };
    },
  };
}
