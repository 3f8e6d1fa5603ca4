import { MINUTE } from '../clock.ts';
import { formatSpan } from '../format-span.ts';
import type { RunState } from '../run-state.ts';
import type { LedgerQuestion, LedgerRow, OccurrenceFinding } from './question.ts';
import { finding } from './row.ts';

/** A start later than this is worth a word, and a run that is due for longer has not been started. */
export const LATE_MS = 1 * MINUTE;

/** States in which `startedAt` is the start of the attempt that was due at `dueAt`. */
const STARTED: readonly RunState[] = ['running', 'succeeded', 'failed', 'timed_out', 'quarantined', 'unknown'];

/** Rows that started early or late, or have not started and should have. */
export function judgeStarts(rows: readonly LedgerRow[], { from, asOf }: LedgerQuestion): OccurrenceFinding[] {
  return rows.filter(({ scheduledFor }) => scheduledFor > from).flatMap((row) => judgeStart(row, asOf));
}

function judgeStart(row: LedgerRow, asOf: Date): OccurrenceFinding[] {
  const at = row.scheduledFor.getTime();
  if (row.startedAt === null) return judgeUnstarted(row, asOf);
  const lateMs = row.startedAt.getTime() - row.dueAt.getTime();
  if (!STARTED.includes(row.state)) return [];
  if (lateMs < 0) return [finding('early', at, row, `started ${formatSpan(-lateMs)} before it was due`)];
  if (row.attempt === 1 && lateMs > LATE_MS)
    return [finding('late', at, row, `started ${formatSpan(lateMs)} after it was due`)];
  return [];
}

function judgeUnstarted(row: LedgerRow, asOf: Date): OccurrenceFinding[] {
  const dueForMs = asOf.getTime() - row.dueAt.getTime();
  if ((row.state !== 'planned' && row.state !== 'queued') || dueForMs <= LATE_MS) return [];
  return [
    finding(
      'not_started',
      row.scheduledFor.getTime(),
      row,
      `${row.state}, and due for ${formatSpan(dueForMs)} already`,
    ),
  ];
}
