import { type Clock, isAtRest } from '@escapement/core';
import { type Database, findRun, readLogs } from '@escapement/store';
import { createDeadlines } from '../../events/deadlines.ts';
import type { LogPlace } from '../../events/log-stream.ts';

/** Chunks a query, of up to 64 KiB each. */
const PAGE = 20;

/** No chunk of an attempt comes after it: an integer of Postgres. */
const LAST_SEQ = 2 ** 31 - 1;

interface Part {
  /** Undefined: of all attempts. */
  attempt?: number | undefined;
  /** Undefined: all; else only the last so many characters of the whole log. */
  tail?: number | undefined;
}

/** The log of a run so far, in pieces: as much as the client takes is read. */
export async function* logOf(db: Database, runId: string, { attempt, tail }: Part): AsyncGenerator<string> {
  if (tail === undefined) yield* readOn(db, runId, beginOf(attempt), attempt);
  else yield await endOf(db, runId, { position: beginOf(attempt), attempt, tail });
}

/** Who follows a log. */
interface Watching {
  /** The client is gone, or the server stops. */
  signal: AbortSignal;
  /** Waits a quarter of a second, or until the signal. */
  pause: () => Promise<void>;
  /** Throws where whoever reads may not any more. */
  renew: () => Promise<void>;
  clock: Clock;
}

/** The same, and what the run writes until it has ended. Who reads is asked again for their token each minute: throws what `renew` throws. */
export async function* followLog(db: Database, runId: string, part: Part, watching: Watching): AsyncGenerator<string> {
  const deadlines = createDeadlines(watching);
  for await (const text of growingLog(db, runId, part, watching)) {
    await deadlines.renewIfDue();
    if (text !== null) yield text;
  }
}

/** Null: nothing new for now. */
async function* growingLog(
  db: Database,
  runId: string,
  { attempt, tail }: Part,
  { signal, pause }: Watching,
): AsyncGenerator<string | null> {
  const position = beginOf(attempt);
  if (tail !== undefined) {
    yield await endOf(db, runId, { position, attempt, tail });
  }
  for (;;) {
    // Looked at before the log: what is written when the run has ended is all there is.
    const run = await findRun(db, runId);
    yield* readOn(db, runId, position, attempt);
    if (!run || isAtRest(run.state) || signal.aborted) return;
    yield null;
    await pause();
  }
}

/** The last characters of what there is, read from its beginning on: so one knows where it goes on. */
async function endOf(
  db: Database,
  runId: string,
  { position, attempt, tail }: Part & { position: LogPlace; tail: number },
): Promise<string> {
  let end = '';
  for await (const text of readOn(db, runId, position, attempt)) end = lastOf(end + text, tail);
  return end;
}

function lastOf(text: string, length: number): string {
  return length === 0 ? '' : text.slice(-length);
}

function beginOf(attempt: number | undefined): LogPlace {
  return { attempt: attempt === undefined ? 0 : attempt - 1, seq: LAST_SEQ };
}

/** Reads from a position on, and moves it. */
async function* readOn(
  db: Database,
  runId: string,
  position: LogPlace,
  attempt: number | undefined,
): AsyncGenerator<string> {
  for (;;) {
    const chunks = await readLogs(db, runId, { after: position, limit: PAGE });
    for (const chunk of chunks) {
      Object.assign(position, { attempt: chunk.attempt, seq: chunk.seq });
      if (attempt === undefined || chunk.attempt === attempt) yield chunk.text;
      else if (chunk.attempt > attempt) return;
    }
    if (chunks.length < PAGE) return;
  }
}
