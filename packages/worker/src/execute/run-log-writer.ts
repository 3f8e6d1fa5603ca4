import type { RunLog } from '@escapement/core';
import { appendLogs, type Database, type LogChunk } from '@escapement/store';
import { persist } from './persist.ts';

/** Largest piece of a log, in UTF-16 units; at most 64 KiB of UTF-8 for text that is mostly ASCII. */
const CHUNK_LENGTH = 48 * 1024;
/** Pieces in one statement: about 1 MiB. */
const CHUNKS_PER_WRITE = 20;
/** What one run, and all together, may have waiting while Postgres is slow or away; the rest is dropped and counted. */
const MAX_WAITING_OF_RUN = 12 * 1024 * 1024;
const MAX_WAITING = 64 * 1024 * 1024;
const FLUSH_MS = 300;

export interface RunLogWriter {
  open(runId: string, attempt: number): OpenRunLog;
  stop(): Promise<void>;
}

export interface OpenRunLog extends RunLog {
  /** Resolves when all of it is in the ledger, however long Postgres is away, or when it is given up. */
  close(): Promise<void>;
}

export interface RunLogWriterOptions {
  db: Database;
  /** Told what could not be kept. */
  onLost: (runId: string, characters: number, error: Error) => void;
  /** False once the process must come to its end: no more patience with a Postgres that is away. */
  mayPersist: () => boolean;
}

interface Buffer {
  runId: string;
  attempt: number;
  seq: number;
  /** Cut and numbered, not known to be written: a repetition after a lost reply must be the very same pieces. */
  pieces: LogChunk[];
  /** Not cut yet. */
  text: string;
  waiting: number;
  dropped: number;
}

/**
 * Gathers the output of each run and writes it a few times a second. An outage of Postgres costs at most the output
 * above the bounds, never the run.
 */
export function createRunLogWriter(options: RunLogWriterOptions): RunLogWriter {
  const open = new Set<Buffer>();
  let waiting = 0;
  let timer: NodeJS.Timeout | undefined;
  let flushing: Promise<void> | undefined;

  function write(buffer: Buffer, text: string): void {
    const room = Math.max(0, Math.min(MAX_WAITING_OF_RUN - buffer.waiting, MAX_WAITING - waiting));
    const taken = text.length > room ? text.slice(0, room) : text;
    buffer.dropped += text.length - taken.length;
    buffer.text += taken;
    buffer.waiting += taken.length;
    waiting += taken.length;
    if (buffer.text.length >= CHUNK_LENGTH) void flush();
    else timer ??= setTimeout(() => void flush(), FLUSH_MS).unref();
  }

  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    flushing ??= flushAll().finally(() => {
      flushing = undefined;
    });
    return flushing;
  }

  async function flushAll(): Promise<void> {
    try {
      for (const buffer of open) await writeOut(buffer);
    } catch {
      // It stays where it is, for the next flush or for the close of its run.
      timer ??= setTimeout(() => void flush(), FLUSH_MS).unref();
    }
  }

  async function writeOut(buffer: Buffer): Promise<void> {
    cutInto(buffer);
    while (buffer.pieces.length > 0) {
      const batch = buffer.pieces.slice(0, CHUNKS_PER_WRITE);
      await appendLogs(options.db, batch);
      buffer.pieces.splice(0, batch.length);
      const written = batch.reduce((sum, { text }) => sum + text.length, 0);
      buffer.waiting -= written;
      waiting -= written;
    }
  }

  async function close(buffer: Buffer): Promise<void> {
    if (buffer.waiting > 0) await flushing;
    open.delete(buffer);
    if (buffer.waiting === 0 && buffer.dropped === 0) return;
    if (buffer.dropped > 0)
      buffer.text += `\n[${buffer.dropped} characters of output were dropped: the ledger could not take them in time]\n`;
    try {
      await persist(() => writeOut(buffer), options.mayPersist);
    } catch (error) {
      waiting -= buffer.waiting;
      options.onLost(buffer.runId, buffer.waiting, error instanceof Error ? error : new Error(String(error)));
    }
  }

  return {
    open(runId, attempt) {
      const buffer: Buffer = { runId, attempt, seq: 0, pieces: [], text: '', waiting: 0, dropped: 0 };
      open.add(buffer);
      return { write: (text) => write(buffer, text), close: () => close(buffer) };
    },
    async stop() {
      await flush();
      clearTimeout(timer);
    },
  };
}

/** Turns what has come since into numbered pieces that do not part a surrogate pair. */
function cutInto(buffer: Buffer): void {
  const { text, runId, attempt } = buffer;
  for (let at = 0; at < text.length; ) {
    let end = Math.min(text.length, at + CHUNK_LENGTH);
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end -= 1;
    buffer.pieces.push({ runId, attempt, seq: ++buffer.seq, text: text.slice(at, end) });
    at = end;
  }
  buffer.text = '';
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
