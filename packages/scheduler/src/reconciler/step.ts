import type { DriftCounts, DriftKind } from '@escapement/core';
import type { Finding, ProbeKind } from '@escapement/store';

/** What one step of a pass has put right. */
export interface Healed {
  counts: DriftCounts;
  /** Whether it left some for the next pass, which then follows at once. */
  more: boolean;
}

/** One way of making queue and ledger equal again. Bounded; repeated, or done by two at once, it does nothing twice. */
export interface HealingStep {
  readonly name: string;
  /** The rows that it looks at: it is left out of a pass while there are none. Default: it is always taken. */
  readonly among?: ProbeKind;
  /** Whether it is to be taken all the same. Default: no. */
  isForced?(): boolean;
  heal(): Promise<Healed>;
}

export const NOTHING: Healed = { counts: {}, more: false };

export interface RepairOptions {
  kind: DriftKind;
  /** The rows that it looks at. */
  among: ProbeKind;
  limit: number;
  find: () => Promise<Pick<Finding, 'fix'>>;
}

/** A step that finds at most `limit` of a kind, and puts them right. A report makes the same look and leaves it at that. */
export function repairStep({ kind, among, limit, find }: RepairOptions): HealingStep {
  return {
    name: kind,
    among,
    async heal() {
      const finding = await find();
      const fixed = await finding.fix();
      return { counts: { [kind]: fixed }, more: fixed >= limit };
    },
  };
}
