import { SECOND } from '../clock.ts';
import { formatSpan } from '../format-span.ts';
import { RESOLVED } from '../resolution.ts';
import type { FixedDelaySpec } from '../schedule/spec.ts';
import type { InForce, LedgerQuestion, LedgerRow, OccurrenceFinding } from './question.ts';
import { finding, UNDER_WAY_MS } from './row.ts';
import { LATE_MS } from './starts.ts';

/** The end of a run and the beginning of the next are written with the times of two statements. */
const SLACK_MS = 0.5 * SECOND;

/** A version whose schedule counts from the end of a run. */
type Counting = InForce & { schedule: FixedDelaySpec };

/**
 * What the ledger of a task lacks for a schedule that counts from the end of a run: the next one is due that long after
 * the last one ended. `rows` are all of the window, and the one before; the last one counts.
 */
export function compareChain(question: LedgerQuestion): OccurrenceFinding[] {
  const rows = question.rows.filter(({ state }) => state !== 'superseded');
  return [...links(rows, question), ...nextsMissing(rows, question)];
}

/** The end of each row, or an edit, says when the next one is due. Later: there is one too few between them. Sooner: one too many. */
function links(rows: readonly LedgerRow[], question: LedgerQuestion): OccurrenceFinding[] {
  // Rows that an older version has made ahead of an edit may lie between.
  const lastOf = new Map<number, LedgerRow>();
  return rows.flatMap((row) => {
    const before = lastOf.get(row.version);
    lastOf.set(row.version, row);
    if (row.scheduledFor <= question.from) return [];
    const dueAt = dueAfter(before, row, question);
    if (dueAt === undefined) return [];
    const at = row.scheduledFor.getTime();
    const words = before ? `due after the end of run ${before.runId}` : 'due after its task was saved';
    if (at > dueAt + SLACK_MS) {
      if (isTaken(dueAt, row.version, rows)) return [];
      return [finding('missing', dueAt, null, `${words}, and before run ${row.runId}`)];
    }
    // A person may say what became of a run long after the next one was due.
    if (before?.reason?.startsWith(RESOLVED)) return [];
    // The planner reads the time of a run that never runs some time before it writes its row.
    const slackMs = before?.startedAt === null ? UNDER_WAY_MS : SLACK_MS;
    return at < dueAt - slackMs ? [finding('unexpected', at, row, `sooner than it is ${words}`)] : [];
  });
}

/** A task has one row of an instant: where an older version has made it ahead of an edit, the new one goes on without it. */
function isTaken(ms: number, version: number, rows: readonly LedgerRow[]): boolean {
  return rows.some((row) => row.version < version && row.scheduledFor.getTime() === ms);
}

/** When a row is due by the end of the one before, the first one of a version by its beginning; undefined: that is not known. */
function dueAfter(before: LedgerRow | undefined, row: LedgerRow, question: LedgerQuestion): number | undefined {
  const own = question.versions.filter(countsFromEnd).find(({ version }) => version === row.version);
  return own && dueBy(own, before, question);
}

function dueBy(
  { schedule, effectiveAt }: Counting,
  last: LedgerRow | undefined,
  { from }: LedgerQuestion,
): number | undefined {
  if (last ? !last.finishedAt : effectiveAt <= from) return undefined;
  const start = last
    ? Math.max(last.finishedAt?.getTime() ?? 0, last.scheduledFor.getTime(), effectiveAt.getTime())
    : effectiveAt.getTime();
  const { delayMs, startAt } = schedule;
  return Math.max(start + delayMs, startAt === undefined ? 0 : Date.parse(startAt));
}

function countsFromEnd(version: InForce): version is Counting {
  return version.schedule.kind === 'fixed-delay';
}

/** After the last row of each version: the next one, if it was due in time. */
function nextsMissing(rows: readonly LedgerRow[], question: LedgerQuestion): OccurrenceFinding[] {
  const { versions, over } = question;
  return versions.filter(countsFromEnd).flatMap((own, index, all) => {
    const ofCalendars = all.findIndex(({ version }) => version === own.version) < index;
    if (ofCalendars || over?.has(own.version)) return [];
    const last = rows.findLast(({ version }) => version === own.version);
    const nextAt = dueBy(own, last, question);
    if (nextAt === undefined || nextAt > question.to.getTime() || isStillToCome(own, { last, nextAt }, question))
      return [];
    const after = last ? `the end of run ${last.runId}` : 'its task was saved';
    return [finding('missing', nextAt, null, `due ${formatSpan(own.schedule.delayMs)} after ${after}`)];
  });
}

function isStillToCome(
  { version, schedule: { endAt } }: Counting,
  { last, nextAt }: { last: LedgerRow | undefined; nextAt: number },
  { versions, asOf, plannedTo }: LedgerQuestion,
): boolean {
  if (endAt !== undefined && nextAt > Date.parse(endAt)) return true;
  const endedAt = versions.findLast((each) => each.version === version)?.endedAt;
  // How far schedulers have come they say of the version in force, not of one that has ended since.
  if (!endedAt) return plannedTo ? nextAt >= plannedTo.getTime() - SLACK_MS : asOf.getTime() - nextAt <= LATE_MS;
  if (nextAt + SLACK_MS >= endedAt.getTime()) return true;
  // Once the next definition is saved, no end of a run of the old one counts.
  const next = versions.find((each) => each.version > version);
  const savedAt = next?.savedAt ?? next?.effectiveAt;
  return savedAt !== undefined && last?.finishedAt != null && last.finishedAt.getTime() + SLACK_MS >= savedAt.getTime();
}
