import { formatSpan } from './format-span.ts';
import { poolPausedReason } from './plan/pause.ts';
import { type Need, needWords, splitNeed } from './queue-name.ts';
import { awayWords, type WorkerAway } from './run-on.ts';

/** A run that could not start in time. */
export interface MissedStart {
  /** How late it might have started. Milliseconds. */
  deadlineMs: number;
  /** How late it is now. Milliseconds. */
  lateMs: number;
  /** What was in its way, as far as is known; see `startObstacle`. */
  obstacle?: string;
}

/** How a missed start deadline is worded in the ledger. */
export function startMissedReason({ deadlineMs, lateMs, obstacle }: MissedStart): string {
  const late = `not started within ${formatSpan(deadlineMs)} of its due time (now ${formatSpan(lateMs)} late)`;
  return obstacle === undefined ? late : `${late}: ${obstacle}`;
}

/** What keeps a run from its start; undefined: nothing that can be seen, so its workers may have had no time for it. */
export function startObstacle(seen: {
  key: string;
  /** The run that has held the key the longest, where no slot of it is free. */
  holder: string | null;
  /** What the ledger says of it where it waits for a rate; null: it does not. */
  overRate?: string | null;
  pool: string;
  /** Of the pause of the pool, empty where it has none; null: it is not paused. */
  poolPauseNote?: string | null;
  /** What it asks of its worker. */
  need?: Need;
  /** Whether a living worker can take it. */
  served: boolean;
  /** Of a run that belongs to a worker which is away. */
  workerAway?: WorkerAway | null;
}): string | undefined {
  if (seen.holder !== null) return `the key "${seen.key}" was held by run ${seen.holder}`;
  if (typeof seen.overRate === 'string') return `it was ${seen.overRate}`;
  if (typeof seen.poolPauseNote === 'string') return poolPausedReason(seen.pool, seen.poolPauseNote);
  const { worker } = splitNeed(seen.need ?? null);
  if (worker !== null && seen.workerAway) return `worker ${worker} was ${awayWords(seen.workerAway)}`;
  if (worker !== null) return seen.served ? undefined : `worker ${worker} could not run it`;
  return seen.served ? undefined : `no worker of the pool "${seen.pool}"${needWords(seen.need ?? null)} was alive`;
}
