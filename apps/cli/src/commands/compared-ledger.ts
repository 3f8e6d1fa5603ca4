import type { LabelSelector } from '@escapement/core/rights';
import type { LedgerFinding, VerifyLedgerSummary } from '@escapement/operations';

/** What is to be compared. */
export interface LedgerAsked {
  from: Date;
  to: Date;
  task: string | undefined;
  label: LabelSelector | undefined;
}

/** What came of it; `named`: the findings that are shown, gaps first. */
export interface LedgerCompared extends Omit<VerifyLedgerSummary, 'from'> {
  named: (Omit<LedgerFinding, 'kind'> & { kind: string })[];
  /** What it cannot find, if there is such a thing. */
  unseen?: string | undefined;
}
