import {
  type CopiedWork,
  countCopiedWork,
  type Database,
  type LedgerOrigin,
  ledgerOrigin,
  listProcesses,
} from '@escapement/store';
import { type GapOfTask, gapOfTasks } from './gap-of-tasks.ts';

/** What a ledger that was restored shows, before anybody works on it. */
export interface CopySeen extends LedgerOrigin {
  /** Up to when it says what ran; null: nobody ever worked on it. */
  copyAt: Date | null;
  /** Nobody has said yet what is to become of what it lacks. */
  open: boolean;
  /** Schedulers and workers that live. */
  alive: string[];
  work: CopiedWork;
  gap: GapOfTask[];
  /** Whether all tasks were looked at. */
  allTasks: boolean;
}

/** Changes nothing. A worker that has not sent a heartbeat for `deadMs` is dead. */
export async function lookAtCopy(db: Database, { deadMs }: { deadMs: number }): Promise<CopySeen> {
  const origin = await ledgerOrigin(db);
  const processes = await listProcesses(db, { withinMs: deadMs });
  const { tasks, all } = await gapOfTasks(db);
  return {
    ...origin,
    ...statusOf(origin),
    alive: processes.map(({ id }) => id),
    work: await countCopiedWork(db),
    gap: tasks,
    allTasks: all,
  };
}

/** After a copy was accepted, nothing runs elsewhere that it does not know, until somebody works on it again. */
export function statusOf({ copied, checkedAt, lastSignAt }: LedgerOrigin): Pick<CopySeen, 'copyAt' | 'open'> {
  if (lastSignAt === null) return { copyAt: null, open: false };
  const copyAt = checkedAt !== null && checkedAt > lastSignAt ? checkedAt : lastSignAt;
  return { copyAt, open: copied === true || checkedAt === null || lastSignAt > checkedAt };
}
