import { formatSpan } from '../format-span.ts';
import { DECIDED_KEPT_MS, FROZEN, isDecidedPause, PAUSED } from '../plan/pause.ts';
import { LOST } from '../restored.ts';
import { EXCLUDED } from '../schedule/calendar/calendar.ts';
import { asMade } from './as-made.ts';
import { exclusionAt, expectedFires } from './expected.ts';
import type { LedgerPause, LedgerQuestion, LedgerRow, OccurrenceFinding } from './question.ts';
import { finding, UNDER_WAY_MS } from './row.ts';

/** Of rows that were due: those that ran and should have been skipped for a calendar or a pause, and the other way round. */
export function judgeSkips(rows: readonly LedgerRow[], question: LedgerQuestion): OccurrenceFinding[] {
  return rows
    .filter(({ scheduledFor }) => scheduledFor > question.from)
    .filter(({ origin }) => origin !== 'backfill')
    .flatMap((row) => (row.startedAt === null ? judgeSkipped(row, question) : judgeStarted(row, question)));
}

function judgeStarted(row: LedgerRow, { pauses, versions }: LedgerQuestion): OccurrenceFinding[] {
  const at = row.scheduledFor.getTime();
  // The start of a later attempt says nothing.
  if (row.attempt > 1) return [];
  const excludedSince = exclusionAt(versions, at, row.createdAt)?.effectiveAt;
  if (excludedSince && row.createdAt > excludedSince && startedWellAfter(row, excludedSince))
    return [finding('not_skipped', at, row, 'started, and a calendar of its task excludes it')];
  const pause = pauses.find((each) => isPaused(each, at));
  if (!pause || !startedWellAfter(row, pause.fromAt)) return [];
  const since = formatSpan(at - pause.fromAt.getTime());
  return [finding('not_skipped', at, row, `started, and its task had been paused for ${since} when it was due`)];
}

function startedWellAfter({ startedAt }: LedgerRow, since: Date): boolean {
  return startedAt !== null && startedAt.getTime() - since.getTime() > UNDER_WAY_MS;
}

function judgeSkipped(row: LedgerRow, { name, pauses, versions, asOf }: LedgerQuestion): OccurrenceFinding[] {
  if (row.state !== 'skipped' || row.reason === null) return [];
  const { reason } = row;
  const window = { from: new Date(row.scheduledFor.getTime() - 1), to: row.untilAt ?? row.scheduledFor };
  // It was judged when it was planned, a little ahead; a calendar that was edited since may say otherwise.
  const made = asMade(versions, row);
  const due = row.untilAt ? expectedFires({ name, versions: made, ...window }) : [row.scheduledFor.getTime()];
  function wrongly(holds: (at: number) => boolean, why: string): OccurrenceFinding[] {
    const at = due.find((each) => !holds(each));
    return at === undefined ? [] : [finding('wrongly_skipped', at, row, `skipped as "${reason}", and ${why}`)];
  }
  if (reason.startsWith(EXCLUDED))
    return wrongly(
      (at) => [made, versions].some((each) => exclusionAt(each, at, row.createdAt) !== undefined),
      'no calendar of its task excludes it',
    );
  if (![PAUSED, FROZEN, LOST].some((word) => reason === word || reason.startsWith(`${word}: `))) return [];
  const isForgotten = (at: number) => isDecidedPause(reason) && asOf.getTime() - at > DECIDED_KEPT_MS;
  return wrongly(
    (at) => isForgotten(at) || pauses.some((pause) => isPaused(pause, at)),
    'its task was not paused then',
  );
}

function isPaused({ fromAt, untilAt }: LedgerPause, at: number): boolean {
  return fromAt.getTime() <= at && (untilAt === null || at < untilAt.getTime());
}
