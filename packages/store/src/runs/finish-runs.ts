import type { Verdict } from '@escapement/core';
import { type Database, query } from '../database.ts';
import type { SeenRun } from './begin-result.ts';
import { finishPlainSuccesses, isPlainSuccess } from './finish-plain-successes.ts';
import { toWokenRun, type WokenJson, type WokenRun } from './woken-run.ts';

export interface FinishRequest {
  runId: string;
  scheduledFor: Date;
  /** The run as the caller saw it; if it is no longer so the request is stale. */
  seen: SeenRun;
  /** Given by who ran it: the slot must still carry this fence. Null for who ends it from outside. */
  fence: bigint | null;
  /** Names this call: repeated with the same id it changes nothing. */
  finishId: string;
  verdict: Verdict;
  /** The run that held the key, where this one was skipped. */
  blockedBy?: string;
  /** Whether the task's schedule counts from the end of its runs; undefined: the statement looks. */
  countsFromEnd?: boolean;
}

/** `conflict`: the state that the run wants to keep is not the one that it has read any more; nothing was written. */
export type FinishResult = 'applied' | 'repeated' | 'conflict' | 'stale';

/** What became of a request, and the runs that took the room it made: their jobs are to be added. */
export interface Finished {
  result: FinishResult;
  woken: WokenRun[];
}

/**
 * Ends runs, or sends them to their next attempt; the one way a run becomes terminal (SQL function settle_runs). For
 * who has no queue at hand: the jobs of the runs that were woken by it are added by the reconciler.
 */
export async function finishRuns(db: Database, batch: readonly FinishRequest[]): Promise<FinishResult[]> {
  return (await finishAndWake(db, batch)).map(({ result }) => result);
}

/** As `finishRuns`, and says which waiting runs each has woken. */
export async function finishAndWake(db: Database, batch: readonly FinishRequest[]): Promise<Finished[]> {
  const plain = batch.filter(isPlainSuccess);
  const done = plain.length > 0 ? await finishPlainSuccesses(db, plain) : new Set<string>();
  const rest = batch.filter(({ runId }) => !done.has(runId));
  const answers = rest.length > 0 ? await finishInFull(db, rest) : [];
  const byRun = new Map(rest.map(({ finishId }, index) => [finishId, answers[index]]));
  return batch.map(({ finishId }) => byRun.get(finishId) ?? { result: 'applied', woken: [] });
}

async function finishInFull(db: Database, batch: readonly FinishRequest[]): Promise<Finished[]> {
  const rows = await query<FinishedRow>(db.hot, 'settle_runs', FINISH_RUNS, [
    batch.map((each) => each.runId),
    batch.map((each) => each.scheduledFor.toISOString()),
    batch.map((each) => each.seen.state),
    batch.map((each) => each.seen.dispatch),
    batch.map((each) => each.seen.attempt),
    batch.map((each) => each.fence?.toString() ?? null),
    batch.map((each) => each.finishId),
    batch.map((each) => each.verdict.to),
    batch.map((each) => each.verdict.reason),
    batch.map((each) => each.verdict.retryAt?.toISOString() ?? null),
    batch.map((each) => each.verdict.attemptOutcome ?? null),
    batch.map((each) => each.verdict.lost),
    batch.map((each) => each.verdict.spared),
    batch.map((each) => toJson(each.verdict.error)),
    batch.map((each) => toJson(each.verdict.output)),
    batch.map((each) => each.verdict.exitCode ?? null),
    batch.map((each) => each.blockedBy ?? null),
    batch.map((each) => each.countsFromEnd ?? null),
    batch.some((each) => each.verdict.effects) ? batch.map((each) => toJson(each.verdict.effects)) : null,
  ]);
  const finished: Finished[] = [];
  for (const row of rows) {
    if (row.result !== 'woken') finished.push({ result: row.result, woken: [] });
    else if (row.woken) finished[row.woken.by - 1]?.woken.push(toWokenRun(row.woken));
  }
  return finished;
}

interface FinishedRow {
  result: FinishResult | 'woken';
  /** By the member, counted from 1, that made room for it. */
  woken: (WokenJson & { by: number }) | null;
}

// What was woken comes last: it has no ordinality.
const FINISH_RUNS = `
SELECT result, woken FROM settle_runs($1::uuid[], $2::timestamptz[], $3::text[], $4::integer[], $5::integer[], $6::bigint[],
  $7::uuid[], $8::text[], $9::text[], $10::timestamptz[], $11::text[], $12::boolean[], $13::boolean[], $14::jsonb[],
  $15::jsonb[], $16::integer[], $17::uuid[], $18::boolean[], $19::jsonb[]) ORDER BY ordinality`;

function toJson(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}
