import { MINUTE } from '../clock.ts';
import type { RunState } from '../run-state.ts';
import { formatSpan } from '../verdict.ts';
import type { AuditFinding, AuditQuestion, AuditRow } from './audit.ts';
import { expectedFires, mayHaveFired } from './expected.ts';

/** A start later than this is worth a word, and a run that is owed for longer has not been started. */
const LATE_MS = 1 * MINUTE;

/** States in which `startedAt` is the start of the attempt that was due at `dueAt`. */
const STARTED: readonly RunState[] = ['running', 'succeeded', 'failed', 'timed_out', 'quarantined', 'unknown'];

/**
 * What the ledger of a task has other than it should, by an algorithm that shares no code with the planner's: the
 * oracle goes through every instant. Schedules that count from the end of a run are `compareChain`'s.
 */
export function compareOccurrences(question: AuditQuestion): AuditFinding[] {
  const expected = expectedFires(question);
  const rows = question.rows.filter(({ state }) => state !== 'superseded');
  return [
    ...missing(expected, rows),
    ...unexpected(expected, rows, question),
    ...miscounted(rows, question),
    ...judgeStarts(rows, question),
  ].sort((a, b) => a.scheduledFor.getTime() - b.scheduledFor.getTime());
}

function missing(expected: readonly number[], rows: readonly AuditRow[]): AuditFinding[] {
  const singles = new Set(rows.map(({ scheduledFor }) => scheduledFor.getTime()));
  const stretches = rows.filter(isStretch);
  return expected
    .filter((at) => !singles.has(at) && !stretches.some((row) => covers(row, at)))
    .map((at) => finding('missing', at, null, 'due by its schedule, and in no row of the ledger'));
}

function unexpected(
  expected: readonly number[],
  rows: readonly AuditRow[],
  { from, versions }: AuditQuestion,
): AuditFinding[] {
  const due = new Set(expected);
  return (
    rows
      .filter(({ scheduledFor, origin }) => scheduledFor > from && origin !== 'backfill')
      // Planned ahead of the deletion of its task.
      .filter(({ state, startedAt }) => state !== 'cancelled' || startedAt !== null)
      .filter(({ scheduledFor }) => !due.has(scheduledFor.getTime()))
      .filter(({ scheduledFor }) => !versions.some((version) => mayHaveFired(version, scheduledFor.getTime())))
      .map((row) =>
        finding(
          'unexpected',
          row.scheduledFor.getTime(),
          row,
          'in the ledger, and due by no schedule that was in force',
        ),
      )
  );
}

function miscounted(rows: readonly AuditRow[], question: AuditQuestion): AuditFinding[] {
  return rows
    .filter(isStretch)
    .filter(({ scheduledFor }) => scheduledFor > question.from)
    .flatMap((row) => {
      const before = new Date(row.scheduledFor.getTime() - 1);
      const inside = expectedFires({ ...question, from: before, to: row.untilAt });
      if (inside.length === row.occurrences) return [];
      const detail = `its row counts ${row.occurrences} occurrences up to ${row.untilAt.toISOString()}, its schedule ${inside.length}`;
      return [finding('miscounted', row.scheduledFor.getTime(), row, detail)];
    });
}

function judgeStarts(rows: readonly AuditRow[], { from, asOf }: AuditQuestion): AuditFinding[] {
  return rows.filter(({ scheduledFor }) => scheduledFor > from).flatMap((row) => judgeStart(row, asOf));
}

function judgeStart(row: AuditRow, asOf: Date): AuditFinding[] {
  const at = row.scheduledFor.getTime();
  if (row.startedAt === null) return judgeUnstarted(row, asOf);
  const lateMs = row.startedAt.getTime() - row.dueAt.getTime();
  if (!STARTED.includes(row.state)) return [];
  if (lateMs < 0) return [finding('early', at, row, `started ${formatSpan(-lateMs)} before it was due`)];
  if (row.attempt === 1 && lateMs > LATE_MS)
    return [finding('late', at, row, `started ${formatSpan(lateMs)} after it was due`)];
  return [];
}

function judgeUnstarted(row: AuditRow, asOf: Date): AuditFinding[] {
  const owedMs = asOf.getTime() - row.dueAt.getTime();
  if ((row.state !== 'planned' && row.state !== 'queued') || owedMs <= LATE_MS) return [];
  return [
    finding('not_started', row.scheduledFor.getTime(), row, `${row.state}, and due for ${formatSpan(owedMs)} already`),
  ];
}

/**
 * The same for a schedule that counts from the end of a run: the next one is due that long after the last one ended.
 * `rows` are all of the window; the last one counts.
 */
export function compareChain(question: AuditQuestion, delayMs: number): AuditFinding[] {
  const { versions, to, asOf } = question;
  const rows = question.rows.filter(({ state }) => state !== 'superseded');
  const last = rows.at(-1);
  const inForce = versions.some((version) => version.endedAt === null || version.endedAt > to);
  const starts = judgeStarts(rows, question);
  if (!last?.finishedAt || !inForce) return starts;
  const nextAt = last.finishedAt.getTime() + delayMs;
  if (nextAt > to.getTime() || asOf.getTime() - nextAt <= LATE_MS) return starts;
  return [...starts, finding('missing', nextAt, null, `due ${formatSpan(delayMs)} after the end of run ${last.runId}`)];
}

type Stretch = AuditRow & { untilAt: Date };

function isStretch(row: AuditRow): row is Stretch {
  return row.untilAt !== null;
}

function covers(row: Stretch, at: number): boolean {
  return row.scheduledFor.getTime() <= at && at <= row.untilAt.getTime();
}

function finding(kind: AuditFinding['kind'], at: number, row: AuditRow | null, detail: string): AuditFinding {
  return { kind, scheduledFor: new Date(at), runId: row?.runId ?? null, detail };
}
