import { type Clock, isAtRest, type RunState } from '@escapement/core';
import { type Database, findRun, readLogs } from '@escapement/store';
import { createDeadlines } from './deadlines.ts';
import { eventOf, RETRY_MS } from './event-text.ts';
import { type Step, withKeepAlive } from './with-keep-alive.ts';

/** Of what a reader has not taken yet it is told the last so many bytes, and how many lines were before. */
const BUDGET_BYTES = 256 * 1024;
/** Chunks a query, of up to 64 KiB each. */
const PAGE = 20;

/** Up to where a log has been told. */
export interface LogPlace {
  attempt: number;
  seq: number;
}

interface LogStreamOptions {
  /** Null: from the beginning. */
  after: LogPlace | null;
  /** The client is gone, or the server stops. */
  signal: AbortSignal;
  /** Waits a quarter of a second, or until the signal. */
  pause: () => Promise<void>;
  /** Throws where whoever reads may not any more. */
  renew: () => Promise<void>;
  clock: Clock;
}

interface Chunk extends LogPlace {
  text: string;
}

/** What a run writes, as text of server-sent events, until it has ended. As much as the client takes is read. */
export function logStream(db: Database, runId: string, options: LogStreamOptions): AsyncGenerator<string> {
  return withKeepAlive(stepsOf(db, runId, options), createDeadlines(options));
}

async function* stepsOf(
  db: Database,
  runId: string,
  { after, signal, pause }: LogStreamOptions,
): AsyncGenerator<Step<string>> {
  let place = after ?? { attempt: 0, seq: 0 };
  yield { piece: `retry: ${RETRY_MS}\n\n` };
  while (!signal.aborted) {
    // Looked at before the log: what is written when the run has ended is all there is.
    const run = await findRun(db, runId);
    const { chunks, skipped } = await readNew(db, runId, place);
    if (skipped > 0) yield { piece: eventOf('skipped', { lines: skipped }) };
    for (const { text, ...at } of chunks) {
      yield { piece: eventOf('log', { attempt: at.attempt, text }, `${at.attempt}-${at.seq}`) };
      place = at;
    }
    if (!run || isAtRest(run.state)) return yield { piece: eventOf('end', endOf(run)) };
    yield { piece: null };
    await pause();
  }
}

function endOf(run: { state: RunState; reason: string | null } | null) {
  return run ? { state: run.state, reason: run.reason } : { state: null, reason: 'the run has been deleted' };
}

/** What came after a place: the last of it, and how many lines were before that. */
async function readNew(
  db: Database,
  runId: string,
  after: LogPlace,
): Promise<{ chunks: readonly Chunk[]; skipped: number }> {
  const kept: Chunk[] = [];
  let [bytes, skipped] = [0, 0];
  for (;;) {
    const page = await readLogs(db, runId, { after: kept.at(-1) ?? after, limit: PAGE });
    for (const chunk of page) {
      kept.push(chunk);
      bytes += chunk.text.length;
    }
    while (bytes > BUDGET_BYTES) {
      const { text } = kept.shift() ?? { text: '' };
      bytes -= text.length;
      skipped += text.split('\n').length - 1;
    }
    if (page.length < PAGE) return { chunks: kept, skipped };
  }
}
