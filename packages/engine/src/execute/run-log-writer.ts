import type { RunLog } from '@escapement/core';
import { appendLogs, type Database, type LogChunk } from '@escapement/store';

/** Largest piece of a log, in UTF-16 units; at most 64 KiB of UTF-8 for text that is mostly ASCII. */
const CHUNK_LENGTH = 48 * 1024;
/** What a run may have waiting while Postgres is slow or away; the rest is dropped and counted. */
const MAX_WAITING = 1024 * 1024;
const FLUSH_MS = 300;

export interface RunLogWriter {
  open(runId: string, attempt: number): OpenRunLog;
  /** Writes what is waiting, of all runs. */
  flush(): Promise<void>;
  stop(): Promise<void>;
}

export interface OpenRunLog extends RunLog {
  /** Writes what is waiting of this run and forgets it. */
  close(): Promise<void>;
}

interface Buffer {
  runId: string;
  attempt: number;
  seq: number;
  text: string;
  dropped: number;
}

/**
 * Gathers the output of all runs of the process and writes it a few times a second, in one statement. An outage of
 * Postgres costs at most the output above the bound, never the run.
 */
export function createRunLogWriter(
  db: Database,
  onLost: (runId: string, bytes: number, error: Error) => void,
): RunLogWriter {
  const open = new Set<Buffer>();
  let writing: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  function schedule(): void {
    if (timer) return;
    timer = setTimeout(() => {
      timer = undefined;
      void flush();
    }, FLUSH_MS);
    timer.unref();
  }

  function write(buffer: Buffer, text: string): void {
    const room = MAX_WAITING - buffer.text.length;
    if (text.length > room) buffer.dropped += text.length - Math.max(0, room);
    if (room > 0) buffer.text += text.slice(0, room);
    schedule();
  }

  function flush(): Promise<void> {
    const mine = writing.then(() => writeOut([...open]));
    writing = mine;
    return mine;
  }

  async function writeOut(buffers: readonly Buffer[]): Promise<void> {
    for (const batch of batches(buffers)) {
      try {
        await appendLogs(db, batch.chunks);
        for (const { buffer, length } of batch.taken) buffer.text = buffer.text.slice(length);
      } catch (error) {
        // What was numbered stays numbered: the same pieces are written again under the same numbers.
        for (const { buffer, pieces } of batch.taken) buffer.seq -= pieces;
        if (open.size > 0) schedule();
        throwAway(buffers, error);
        return;
      }
    }
  }

  function throwAway(buffers: readonly Buffer[], error: unknown): void {
    for (const buffer of buffers) {
      if (open.has(buffer) || buffer.text === '') continue;
      onLost(buffer.runId, buffer.text.length, error instanceof Error ? error : new Error(String(error)));
    }
  }

  return {
    open(runId, attempt) {
      const buffer: Buffer = { runId, attempt, seq: 0, text: '', dropped: 0 };
      open.add(buffer);
      return {
        write: (text) => write(buffer, text),
        async close() {
          open.delete(buffer);
          if (buffer.dropped > 0)
            buffer.text += `\n[${buffer.dropped} characters of output were dropped: the ledger could not take them in time]\n`;
          if (buffer.text === '') return;
          const mine = writing.then(() => writeOut([buffer]));
          writing = mine;
          await mine;
        },
      };
    },
    flush,
    async stop() {
      clearTimeout(timer);
      await flush();
    },
  };
}

interface Batch {
  chunks: LogChunk[];
  taken: { buffer: Buffer; length: number; pieces: number }[];
}

/** Statements of at most about 1 MiB. */
function* batches(buffers: readonly Buffer[]): Generator<Batch> {
  let batch: Batch = { chunks: [], taken: [] };
  let size = 0;
  for (const buffer of buffers) {
    if (buffer.text === '') continue;
    const pieces = cut(buffer.text);
    for (const text of pieces)
      batch.chunks.push({ runId: buffer.runId, attempt: buffer.attempt, seq: ++buffer.seq, text });
    batch.taken.push({ buffer, length: buffer.text.length, pieces: pieces.length });
    size += buffer.text.length;
    if (size < MAX_WAITING) continue;
    yield batch;
    batch = { chunks: [], taken: [] };
    size = 0;
  }
  if (batch.chunks.length > 0) yield batch;
}

/** Pieces of bounded length that do not part a surrogate pair. */
function cut(text: string): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    let end = Math.min(text.length, at + CHUNK_LENGTH);
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end -= 1;
    pieces.push(text.slice(at, end));
    at = end;
  }
  return pieces;
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
