import { SECOND } from '../clock.ts';
import { PAUSED } from '../plan/pause.ts';
import { EXCLUDED } from '../schedule/calendar/calendar.ts';
import { formatSpan } from '../verdict.ts';
import { exclusionAt, isExcludedAt } from './expected.ts';
import type { LedgerPause, LedgerQuestion, LedgerRow, OccurrenceFinding } from './question.ts';
import { covers, finding } from './row.ts';

/** What was beginning while a calendar or a pause was saved may not have seen it. */
const UNDER_WAY_MS = 10 * SECOND;

/** Rows that ran and should have been skipped for a calendar or a pause, and the other way round. */
export function judgeSkips(
  expected: readonly number[],
  rows: readonly LedgerRow[],
  question: LedgerQuestion,
): OccurrenceFinding[] {
  const due = new Set(expected);
  return rows
    .filter(({ scheduledFor }) => scheduledFor > question.from && due.has(scheduledFor.getTime()))
    .filter(({ origin }) => origin !== 'backfill')
    .flatMap((row) => (row.startedAt === null ? judgeSkipped(row, expected, question) : judgeStarted(row, question)));
}

function judgeStarted(row: LedgerRow, { pauses, versions }: LedgerQuestion): OccurrenceFinding[] {
  const at = row.scheduledFor.getTime();
  const excludedSince = exclusionAt(versions, at)?.effectiveAt;
  if (excludedSince && startedWellAfter(row, excludedSince))
    return [finding('not_skipped', at, row, 'started, and a calendar of its task excludes it')];
  const pause = pauses.find((each) => isPaused(each, at));
  if (!pause || !startedWellAfter(row, pause.fromAt)) return [];
  const since = formatSpan(at - pause.fromAt.getTime());
  return [finding('not_skipped', at, row, `started, and its task had been paused for ${since} when it was due`)];
}

function startedWellAfter({ startedAt }: LedgerRow, since: Date): boolean {
  return startedAt !== null && startedAt.getTime() - since.getTime() > UNDER_WAY_MS;
}

function judgeSkipped(
  row: LedgerRow,
  expected: readonly number[],
  { pauses, versions }: LedgerQuestion,
): OccurrenceFinding[] {
  if (row.state !== 'skipped' || row.reason === null) return [];
  const { reason } = row;
  const due = row.untilAt ? expected.filter((at) => covers(row, at)) : [row.scheduledFor.getTime()];
  function wrongly(holds: (at: number) => boolean, why: string): OccurrenceFinding[] {
    const at = due.find((each) => !holds(each));
    return at === undefined ? [] : [finding('wrongly_skipped', at, row, `skipped as "${reason}", and ${why}`)];
  }
  if (reason.startsWith(EXCLUDED)) {
    // It was judged when it was planned, a little ahead; a calendar that was edited since may say otherwise.
    const judgedAt = row.finishedAt ?? row.scheduledFor;
    return wrongly((at) => isExcludedAt(versions, at, judgedAt), 'no calendar of its task excludes it');
  }
  if (reason !== PAUSED && !reason.startsWith(`${PAUSED}: `)) return [];
  return wrongly((at) => pauses.some((pause) => isPaused(pause, at)), 'its task was not paused then');
}

function isPaused({ fromAt, untilAt }: LedgerPause, at: number): boolean {
  return fromAt.getTime() <= at && (untilAt === null || at < untilAt.getTime());
}
