import { inUtc } from './wording.ts';

interface Frozen {
  fromAt: Date;
  untilAt: Date | null;
  note: string;
  createdBy: string;
}

/** That all tasks are paused: one line, since when and until when. */
export function frozenWords({ fromAt, untilAt, note, createdBy }: Frozen): string {
  const end = untilAt ? `until ${inUtc(untilAt)}` : 'until `escapement unfreeze`';
  return `FROZEN ${end}, since ${inUtc(fromAt)} by ${createdBy}: ${note}; what falls due is skipped`;
}
