import { expectedFires, mayHaveFired } from './expected.ts';
import type { LedgerQuestion, LedgerRow, OccurrenceFinding } from './question.ts';
import { covers, finding, isStretch } from './row.ts';
import { judgeSkips } from './skips.ts';
import { judgeStarts } from './starts.ts';

/**
 * What the ledger of a task has other than it should, by an algorithm that shares no code with the planner's: the
 * oracle goes through every instant. Schedules that count from the end of a run are `compareChain`'s.
 */
export function compareOccurrences(question: LedgerQuestion): OccurrenceFinding[] {
  const expected = expectedFires(question);
  const rows = question.rows.filter(({ state }) => state !== 'superseded');
  return [
    ...missing(expected, rows),
    ...unexpected(expected, rows, question),
    ...miscounted(rows, question),
    ...judgeSkips(expected, rows, question),
    ...judgeStarts(rows, question),
  ].sort((a, b) => a.scheduledFor.getTime() - b.scheduledFor.getTime());
}

function missing(expected: readonly number[], rows: readonly LedgerRow[]): OccurrenceFinding[] {
  const singles = new Set(rows.map(({ scheduledFor }) => scheduledFor.getTime()));
  const stretches = rows.filter(isStretch);
  return expected
    .filter((at) => !singles.has(at) && !stretches.some((row) => covers(row, at)))
    .map((at) => finding('missing', at, null, 'due by its schedule, and in no row of the ledger'));
}

function unexpected(
  expected: readonly number[],
  rows: readonly LedgerRow[],
  { from, versions }: LedgerQuestion,
): OccurrenceFinding[] {
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

function miscounted(rows: readonly LedgerRow[], question: LedgerQuestion): OccurrenceFinding[] {
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
