import type { FindingKind } from '@escapement/core/verify-ledger';
import { type Database, type HourOfTask, noteStaleHours, wrongRollUps } from '@escapement/store';

const COUNTS = [
  'runs',
  'started',
  'succeeded',
  'failed',
  'timed_out',
  'quarantined',
  'skipped',
  'missed',
  'superseded',
  'cancelled',
] as const satisfies readonly (keyof HourOfTask)[];

/** An hour in which the roll-up of a task does not say what the ledger says. */
interface Found {
  taskId: string;
  kind: FindingKind;
  scheduledFor: Date;
  runId: null;
  detail: string;
}

/** Compares the roll-ups of these tasks with the ledger, hours that begin in (from, to]. Has schedulers make anew what is wrong. */
export async function judgeRollUps(
  db: Database,
  options: { taskIds: readonly string[]; from: Date; to: Date },
): Promise<Found[]> {
  const wrong = await wrongRollUps(db, options);
  await noteStaleHours(db, wrong);
  return wrong.map(({ taskId, hour, ledger, rolledUp }) => ({
    ...{ taskId, kind: 'wrongly_rolled_up', scheduledFor: hour, runId: null },
    detail: `${differences(ledger, rolledUp)}; it will be rolled up anew`,
  }));
}

function differences(ledger: HourOfTask | null, rolledUp: HourOfTask | null): string {
  if (!rolledUp) return `no roll-up of this hour; rows in the ledger: ${ledger?.runs ?? 0}`;
  const differ = COUNTS.filter((each) => (ledger?.[each] ?? 0) !== rolledUp[each]);
  if (differ.length === 0) return 'durations or lateness of the roll-up are not those of the ledger';
  return differ
    .map((each) => `${each.replace('_', ' ')}: ${ledger?.[each] ?? 0}, rolled up ${rolledUp[each]}`)
    .join(', ');
}
