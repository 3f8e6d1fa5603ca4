import { formatSpan } from '../verdict.ts';
import type { LedgerQuestion, OccurrenceFinding } from './question.ts';
import { finding } from './row.ts';
import { judgeSkips } from './skips.ts';
import { judgeStarts, LATE_MS } from './starts.ts';

/**
 * What the ledger of a task has other than it should, for a schedule that counts from the end of a run: the next one
 * is due that long after the last one ended. `rows` are all of the window; the last one counts.
 */
export function compareChain(question: LedgerQuestion, delayMs: number): OccurrenceFinding[] {
  const rows = question.rows.filter(({ state }) => state !== 'superseded');
  const due = rows.map(({ scheduledFor }) => scheduledFor.getTime());
  return [...nextMissing(question, delayMs), ...judgeSkips(due, rows, question), ...judgeStarts(rows, question)];
}

function nextMissing({ versions, rows, to, asOf, isOver }: LedgerQuestion, delayMs: number): OccurrenceFinding[] {
  const last = rows.findLast(({ state }) => state !== 'superseded');
  const version = versions.find(({ endedAt }) => endedAt === null || endedAt > to);
  if (!last?.finishedAt || !version || isOver) return [];
  const nextAt = last.finishedAt.getTime() + delayMs;
  const { endAt } = version.schedule;
  if (nextAt > to.getTime() || asOf.getTime() - nextAt <= LATE_MS) return [];
  if (endAt !== undefined && nextAt > Date.parse(endAt)) return [];
  return [finding('missing', nextAt, null, `due ${formatSpan(delayMs)} after the end of run ${last.runId}`)];
}
