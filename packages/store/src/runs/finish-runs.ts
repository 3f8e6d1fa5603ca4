import { unstorableEnd, type Verdict } from '@escapement/core';
import { isDataFault, splitOnDataFault } from '../postgres/data-fault.ts';
import { type Database, query } from '../postgres/database.ts';
import { finishPlainSuccesses, isPlainSuccess } from './finish-plain-successes.ts';
import { toFinishRecord } from './finish-record.ts';
import type { FinishRequest } from './finish-request.ts';
import { toWokenRun, type WokenJson, type WokenRun } from './woken-run.ts';

/**
 * `conflict`: the state that the run wants to keep is not the one that it has read any more; nothing was written. `refused`: Postgres has
 * refused it, and an end without anything that the attempt left behind as well; nothing was written.
 */
export type FinishResult = 'applied' | 'repeated' | 'conflict' | 'stale' | 'refused';

/** What became of a request, and the runs that took the room it made: their jobs are to be added. */
export interface Finished {
  result: FinishResult;
  woken: WokenRun[];
  /** With this it has ended, since Postgres refused a value of what was asked for. Default: as it was asked for. */
  instead?: Verdict;
  /** With `refused`: why. */
  error?: unknown;
}

/**
 * Ends runs, or sends them to their next attempt; the one way a run becomes terminal (SQL function finish_runs). For
 * who has no queue at hand: the jobs of the runs that were woken by it are added by the reconciler.
 */
export async function finishRuns(db: Database, batch: readonly FinishRequest[]): Promise<FinishResult[]> {
  return (await finishAndWake(db, batch)).map(({ result }) => result);
}

/**
 * As `finishRuns`, and says which waiting runs each has woken. A request with a value that Postgres refuses keeps the others from nothing:
 * its run ends without what it was to leave behind. Throws if there is one request, and even that end is refused.
 */
export async function finishAndWake(db: Database, batch: readonly FinishRequest[]): Promise<Finished[]> {
  const finished = new Map<string, Finished>();
  await splitOnDataFault(batch, {
    async write(part) {
      const answers = await finishAll(db, part);
      for (const [index, answer] of answers.entries()) finished.set(part[index]?.finishId ?? '', answer);
    },
    async refused(request, error) {
      finished.set(request.finishId, await finishWithout(db, request, { error, isAlone: batch.length === 1 }));
    },
  });
  return batch.map(({ finishId }) => finished.get(finishId) ?? { result: 'stale', woken: [] });
}

async function finishWithout(
  db: Database,
  request: FinishRequest,
  { error, isAlone }: { error: unknown; isAlone: boolean },
): Promise<Finished> {
  const instead = unstorableEnd(request.verdict, error instanceof Error ? error.message : String(error));
  try {
    const [finished] = await finishAll(db, [{ ...request, verdict: instead }]);
    return { result: 'stale', woken: [], ...finished, instead };
  } catch (again) {
    if (isAlone || !isDataFault(again)) throw again;
    return { result: 'refused', woken: [], error: again };
  }
}

async function finishAll(db: Database, batch: readonly FinishRequest[]): Promise<Finished[]> {
  const plain = batch.filter(isPlainSuccess);
  const done = plain.length > 0 ? await finishPlainSuccesses(db, plain) : new Set<string>();
  const rest = batch.filter(({ runId }) => !done.has(runId));
  const answers = rest.length > 0 ? await finishInFull(db, rest) : [];
  const byRun = new Map(rest.map(({ finishId }, index) => [finishId, answers[index]]));
  return batch.map(({ finishId }) => byRun.get(finishId) ?? { result: 'applied', woken: [] });
}

async function finishInFull(db: Database, batch: readonly FinishRequest[]): Promise<Finished[]> {
  const rows = await query<FinishedRow>(db.hot, 'finish_runs', FINISH_RUNS, [
    db.namespace,
    JSON.stringify(batch.map(toFinishRecord)),
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
const FINISH_RUNS = 'SELECT result, woken FROM finish_runs($1, $2::jsonb) ORDER BY ordinality';
