import { DAY, MINUTE } from '../clock.ts';
import { formatSpan } from '../format-span.ts';
import { type CatchUpPolicy, DEFAULT_CATCH_UP, mostCaughtUp } from '../plan/catch-up-policy.ts';
import type { InForce, LedgerQuestion, LedgerRow, OccurrenceFinding } from './question.ts';
import { finding } from './row.ts';

/** No misfire threshold is longer, unless the task says so. */
const LONGEST_THRESHOLD_MS = 1 * MINUTE;
/** `latest` catches up nothing that is later, unless the task says so. */
const LATEST_WITHIN_MS = 1 * DAY;

/** Rows that started against the catch-up policy of their task. Those that waited for their key, or for a person, came in time. */
export function judgeCatchUps(rows: readonly LedgerRow[], question: LedgerQuestion): OccurrenceFinding[] {
  const ordered = rows.toSorted((a, b) => a.scheduledFor.getTime() - b.scheduledFor.getTime());
  return [...byWorker(ordered).values()].flatMap((own) => [
    ...own.filter(({ scheduledFor }) => scheduledFor > question.from).flatMap((row) => judgeStart(row, own, question)),
    ...judgeCounts(own, question),
  ]);
}

/** A row whose start was decided by the policy, or by the misfire threshold. */
type Started = LedgerRow & { startedAt: Date };

function isJudged(row: LedgerRow): row is Started {
  return row.startedAt !== null && row.attempt === 1 && !row.waited && !row.released && row.origin !== 'backfill';
}

function judgeStart(row: LedgerRow, rows: readonly LedgerRow[], question: LedgerQuestion): OccurrenceFinding[] {
  if (!isJudged(row)) return [];
  const version = soleVersion(question.versions, row);
  if (!version) return [];
  const detail = row.origin === 'catch_up' ? wrongCatchUp(row, version, rows) : wrongStart(row, version);
  return detail === null ? [] : [finding('against_policy', row.scheduledFor.getTime(), row, detail)];
}

function wrongStart({ startedAt, dueAt }: Started, { misfireThresholdMs }: InForce): string | null {
  const lateMs = startedAt.getTime() - dueAt.getTime();
  const thresholdMs = misfireThresholdMs ?? LONGEST_THRESHOLD_MS;
  return lateMs > thresholdMs
    ? `started ${formatSpan(lateMs)} late without a verdict of its catch-up policy, which is asked after ${formatSpan(thresholdMs)}`
    : null;
}

function wrongCatchUp(row: Started, version: InForce, rows: readonly LedgerRow[]): string | null {
  const policy = version.catchUp ?? DEFAULT_CATCH_UP;
  if (policy.policy === 'none') return 'caught up, and its task does not catch up';
  const lateMs = row.startedAt.getTime() - row.scheduledFor.getTime() - (version.schedule.jitterMs ?? 0);
  const withinMs = latestStart(policy);
  if (lateMs > withinMs)
    return `caught up ${formatSpan(lateMs)} late, and its task catches up within ${formatSpan(withinMs)} only`;
  if (policy.policy !== 'latest' || version.calendars?.shift) return null;
  const newer = rows.find((each) => isNewerAndDue(each, row));
  return newer
    ? `caught up when the occurrence of ${newer.scheduledFor.toISOString()} was due, and that one started too; its task runs the newest`
    : null;
}

function isNewerAndDue(each: LedgerRow, { scheduledFor, startedAt }: Started): boolean {
  return (
    each.origin !== 'backfill' &&
    each.startedAt !== null &&
    each.scheduledFor > scheduledFor &&
    each.scheduledFor <= startedAt
  );
}

function latestStart(policy: CatchUpPolicy): number {
  const staggerMs = 'staggerMs' in policy ? (policy.staggerMs ?? 0) : 0;
  const withinMs = 'withinMs' in policy ? policy.withinMs : undefined;
  return (withinMs ?? (policy.policy === 'latest' ? LATEST_WITHIN_MS : Number.POSITIVE_INFINITY)) + staggerMs;
}

/** More caught up after one outage than the policy allows. An outage ends with an occurrence that is in time. */
function judgeCounts(rows: readonly LedgerRow[], { versions, from }: LedgerQuestion): OccurrenceFinding[] {
  const found: OccurrenceFinding[] = [];
  let caughtUp = 0;
  for (const row of rows) {
    if (row.state === 'missed' || row.origin === 'backfill') continue;
    if (row.origin === 'schedule') caughtUp = 0;
    else if (row.startedAt !== null && !row.released) caughtUp += 1;
    const version = soleVersion(versions, row);
    const policy = version?.catchUp ?? DEFAULT_CATCH_UP;
    const isCounted = version !== undefined && policy.policy !== 'latest' && policy.policy !== 'none';
    if (!isCounted || caughtUp <= mostCaughtUp(policy) || row.scheduledFor <= from) continue;
    const detail = `the ${caughtUp}. that was caught up after one outage, and its task catches up ${mostCaughtUp(policy)} at most`;
    found.push(finding('against_policy', row.scheduledFor.getTime(), row, detail));
  }
  return found;
}

/** The version that was in force from the instant of a row until it started; undefined: its rules changed meanwhile. */
function soleVersion(versions: readonly InForce[], { scheduledFor, startedAt }: LedgerRow): InForce | undefined {
  const until = startedAt ?? scheduledFor;
  const during = versions.filter(({ endedAt }) => endedAt === null || endedAt > scheduledFor);
  const [only] = during;
  return only && only.effectiveAt <= scheduledFor && during.every((each) => each === only || knownFrom(each) > until)
    ? only
    : undefined;
}

/** Misfires are judged by a version as soon as it is saved, which may be ahead of the time from which it counts. */
function knownFrom({ savedAt, effectiveAt }: InForce): Date {
  return savedAt && savedAt < effectiveAt ? savedAt : effectiveAt;
}

function byWorker(rows: readonly LedgerRow[]): Map<string | null, LedgerRow[]> {
  const groups = new Map<string | null, LedgerRow[]>();
  for (const row of rows) {
    const group = groups.get(row.worker);
    if (group) group.push(row);
    else groups.set(row.worker, [row]);
  }
  return groups;
}
