import { type Progress, SECOND } from '@escapement/core';
import { type Database, type ProgressReport, writeProgress } from '@escapement/store';

/** A worker writes what its runs report at most so often, in one statement for all. */
const WRITE_EVERY_MS = 1 * SECOND;

type ReportedRun = Pick<ProgressReport, 'runId' | 'scheduledFor' | 'attempt'>;

export interface ProgressWriter {
  /** Notes a report; the latest of a run counts. Never throws, never waits. */
  report(run: ReportedRun, progress: Progress): void;
  /** The run is over: what is not written yet is of no use any more. */
  forget(runId: string): void;
  stop(): Promise<void>;
}

export interface ProgressWriterOptions {
  db: Database;
  onError: (error: unknown) => void;
}

/**
 * Brings reports of progress to the ledger. Of each run the latest is kept until it is written: Postgres may be away, or another statement may
 * have the run locked at that moment.
 */
export function createProgressWriter({ db, onError }: ProgressWriterOptions): ProgressWriter {
  const unwritten = new Map<string, ProgressReport>();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | undefined;
  let stopped = false;

  function arm(): void {
    if (!stopped && !writing) timer ??= setTimeout(() => void write(), WRITE_EVERY_MS).unref();
  }

  function write(): Promise<void> {
    timer = undefined;
    writing = writeAll().finally(() => {
      writing = undefined;
      if (unwritten.size > 0) arm();
    });
    return writing;
  }

  async function writeAll(): Promise<void> {
    const reports = [...unwritten.values()];
    try {
      const written = await writeProgress(db, reports);
      for (const report of reports)
        if (written.has(report.runId) && unwritten.get(report.runId) === report) unwritten.delete(report.runId);
    } catch (error) {
      onError(error);
    }
  }

  return {
    report({ runId, scheduledFor, attempt }, progress) {
      unwritten.set(runId, { runId, scheduledFor, attempt, ...progress });
      arm();
    },
    forget: (runId) => void unwritten.delete(runId),
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await writing;
    },
  };
}
