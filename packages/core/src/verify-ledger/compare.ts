import { asMade, endOfVersion } from './as-made.ts';
import { judgeCatchUps } from './catch-ups.ts';
import { judgeEveryWorker } from './every-worker.ts';
import { expectedFires, isInForce, mayHaveFired } from './expected.ts';
import type { InForce, LedgerQuestion, LedgerRow, OccurrenceFinding } from './question.ts';
import { covers, finding, isStretch, type Stretch, UNDER_WAY_MS } from './row.ts';
import { judgeSkips } from './skips.ts';
import { judgeStarts } from './starts.ts';

/**
 * What the ledger of a task has other than it should, by an algorithm that shares no code with the planner's: the
 * oracle goes through every instant. When a schedule that counts from the end of a run is due `compareChain` asks.
 */
export function compareOccurrences(question: LedgerQuestion): OccurrenceFinding[] {
  const expected = expectedFires(question);
  const rows = question.rows.filter(({ state }) => state !== 'superseded');
  const inForce = new Set(expected);
  const due: LedgerRow[] = [];
  const others: LedgerRow[] = [];
  for (const row of rows) {
    const at = row.scheduledFor.getTime();
    const wasDue = inForce.has(at) || question.versions.some((version) => mayHaveFired(version, at));
    (wasDue ? due : others).push(row);
  }
  return [
    ...missing(expected, rows, question),
    ...unexpected(others, question),
    ...miscounted(rows, question),
    ...judgeSkips(due, question),
    ...judgeStarts(due, question),
    ...judgeCatchUps(due, question),
    ...judgeEveryWorker(due, question),
  ].sort((a, b) => a.scheduledFor.getTime() - b.scheduledFor.getTime());
}

function missing(
  expected: readonly number[],
  rows: readonly LedgerRow[],
  { versions, plannedTo }: LedgerQuestion,
): OccurrenceFinding[] {
  const singles = new Set(rows.map(({ scheduledFor }) => scheduledFor.getTime()));
  const stretches = rows.filter(isStretch);
  const absent = expected.filter((at) => !singles.has(at) && !stretches.some((row) => accountsFor(row, at, versions)));
  const unplanned = absent.filter((at) => plannedTo && at >= plannedTo.getTime());
  const lost = absent.slice(0, absent.length - unplanned.length);
  return [
    ...lost.map((at) => finding('missing', at, null, 'due by its schedule, and in no row of the ledger')),
    ...unplannedFrom(unplanned),
  ];
}

/** One for all of them: after an outage they are many, and soon none. */
function unplannedFrom([first, ...others]: readonly number[]): OccurrenceFinding[] {
  if (first === undefined) return [];
  const more = others.length === 0 ? '' : `, and ${others.length} more after it`;
  return [finding('unplanned', first, null, `due by its schedule${more}; schedulers are still on their way there`)];
}

/** A stretch that was made ahead of an edit says nothing about what is due by the version after it. */
function accountsFor(row: Stretch, at: number, versions: readonly InForce[]): boolean {
  return covers(row, at) && versions.some((each) => each.version === row.version && isInForce(each, at));
}

/** `rows`: those that were not due. */
function unexpected(rows: readonly LedgerRow[], { name, from, versions }: LedgerQuestion): OccurrenceFinding[] {
  return rows
    .filter(({ scheduledFor, origin }) => scheduledFor > from && origin !== 'backfill')
    .filter((row) => !wasPlannedBefore(row, { name, versions }))
    .map((row) =>
      finding('unexpected', row.scheduledFor.getTime(), row, 'in the ledger, and due by no schedule that was in force'),
    );
}

/** Planned ahead of an edit, or of the deletion of its task, and not begun; unless it was about to begin just then. */
function wasPlannedBefore(row: LedgerRow, { name, versions }: Pick<LedgerQuestion, 'name' | 'versions'>): boolean {
  const endedAt = endOfVersion(versions, row);
  if (row.startedAt !== null && !(endedAt && row.startedAt.getTime() - endedAt.getTime() <= UNDER_WAY_MS)) return false;
  const window = { from: new Date(row.scheduledFor.getTime() - 1), to: row.scheduledFor };
  const made = asMade(versions, row);
  return (
    made.some((version) => mayHaveFired(version, row.scheduledFor.getTime())) ||
    expectedFires({ name, versions: made, ...window }).length > 0
  );
}

function miscounted(rows: readonly LedgerRow[], question: LedgerQuestion): OccurrenceFinding[] {
  return rows
    .filter(isStretch)
    .filter(({ scheduledFor }) => scheduledFor > question.from)
    .flatMap((row) => {
      const window = { from: new Date(row.scheduledFor.getTime() - 1), to: row.untilAt };
      const inside = expectedFires({ name: question.name, versions: asMade(question.versions, row), ...window });
      const known = rows.filter((each) => wasThere(each, row)).map(({ scheduledFor }) => scheduledFor.getTime());
      const due = inside.filter((at) => !known.includes(at)).length;
      if (due === row.occurrences) return [];
      const detail = `its row counts ${row.occurrences} occurrences up to ${row.untilAt.toISOString()}, its schedule ${due}`;
      return [finding('miscounted', row.scheduledFor.getTime(), row, detail)];
    });
}

/** Begun, or decided, when the stretch was made, which leaves it out: an edit is planned around what has a row already. */
function wasThere(row: LedgerRow, stretch: Stretch): boolean {
  return (
    row.createdAt < stretch.createdAt &&
    covers(stretch, row.scheduledFor.getTime()) &&
    row.untilAt === null &&
    row.worker === null &&
    !WAITS.has(row.state)
  );
}

/** Such a row is the next plan's to take over. */
const WAITS: ReadonlySet<LedgerRow['state']> = new Set(['planned', 'queued']);
