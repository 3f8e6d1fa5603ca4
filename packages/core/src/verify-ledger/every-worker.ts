import { endOfVersion } from './as-made.ts';
import type { LedgerQuestion, LedgerRow, OccurrenceFinding } from './question.ts';
import { covers, finding, isStretch, UNDER_WAY_MS } from './row.ts';

/**
 * Of occurrences that were planned for several workers: a worker without its row, a row of a worker that it was not planned for, and a run
 * that belongs to none. Whether there is a row at all is asked elsewhere. `rows`: those that were due.
 */
export function judgeEveryWorker(rows: readonly LedgerRow[], question: LedgerQuestion): OccurrenceFinding[] {
  const { workers: planned = new Map<number, readonly string[]>(), from } = question;
  const own = rows.filter(({ scheduledFor }) => scheduledFor > from);
  const stretches = rows.filter(isStretch);
  return [...byInstant(own)].flatMap(([at, found]) => {
    if (found.every(({ worker }) => worker === null)) return found.flatMap((row) => judgeShared(row, question));
    const wanted = planned.get(at);
    const [first] = found;
    if (!wanted)
      return first ? [finding('missing', at, first, 'for which workers it was planned is no longer written down')] : [];
    const isShared = found.some(({ worker }) => worker === null) || stretches.some((row) => covers(row, at));
    const absent = isShared ? [] : wanted.filter((name) => !found.some(({ worker }) => worker === name));
    return [
      ...absent.map((name) => finding('missing', at, null, `worker ${name} has no row of it`)),
      ...found.filter((row) => isForeign(row, wanted, question)).map(foreign),
    ];
  });
}

function byInstant(rows: readonly LedgerRow[]): Map<number, LedgerRow[]> {
  const instants = new Map<number, LedgerRow[]>();
  for (const row of rows) {
    const at = row.scheduledFor.getTime();
    instants.set(at, [...(instants.get(at) ?? []), row]);
  }
  return instants;
}

/** One row for all workers never runs. */
function judgeShared(row: LedgerRow, { versions }: LedgerQuestion): OccurrenceFinding[] {
  const made = versions.find(({ version }) => version === row.version);
  if (!made?.onEveryWorker || row.startedAt === null) return [];
  const at = row.scheduledFor.getTime();
  return [finding('unexpected', at, row, 'it started, and belongs to no worker, though its task runs on every worker')];
}

/** Planned ahead of an edit for a worker that the plan after it does not name it did not start, unless it was just about to. */
function isForeign(row: LedgerRow, wanted: readonly string[], { versions }: LedgerQuestion): boolean {
  if (row.worker === null || wanted.includes(row.worker) || row.startedAt === null) return false;
  const endedAt = endOfVersion(versions, row);
  return !(endedAt && row.startedAt.getTime() - endedAt.getTime() <= UNDER_WAY_MS);
}

function foreign(row: LedgerRow): OccurrenceFinding {
  const detail = `started on worker ${row.worker}, for which it was not planned`;
  return finding('unexpected', row.scheduledFor.getTime(), row, detail);
}
