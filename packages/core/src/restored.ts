import { inUtc } from './words.ts';

/** What the reason of a row begins with that fell due between a copy of the ledger and the loss of what came after it. */
export const LOST = 'lost with the database';

/** Whether the reason of a row says that it was lost. Nothing follows such a row: what did at its time, did so elsewhere. */
export function isLost(reason: string | null): boolean {
  return reason?.startsWith(`${LOST}: `) ?? false;
}

/** When the copy was taken from which the ledger was restored, and up to when it does not say what ran. */
export interface LostTime {
  copyAt: Date;
  untilAt: Date;
}

/** How an occurrence is worded that was due in that time. It does not say that it did not run. */
export function lostReason({ copyAt, untilAt }: LostTime): string {
  return `${LOST}: the copy of ${inUtc(copyAt)}, from which it was restored, does not say what ran until ${inUtc(untilAt)}`;
}

/** How a run is worded that the copy shows as open. `begun`: by the copy. */
export function openInCopyReason(copyAt: Date, begun: boolean): string {
  const what = begun ? 'had begun' : 'had not begun';
  return `it ${what} when the copy of ${inUtc(copyAt)} was taken, from which the database was restored; what became of it since is not known`;
}

/** A ledger that is written into from another place than the rows in it were, and has been silent for so long, was restored. Milliseconds. */
export const SILENT_COPY_MS = 60_000;
