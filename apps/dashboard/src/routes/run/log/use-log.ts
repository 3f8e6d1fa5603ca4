import { useEffect, useState } from 'react';
import { streamEvents } from '../../../api/live/sse.ts';
import { isPassing } from '../../../api/problem.ts';
import { request, urlOf } from '../../../api/request.ts';
import { type LogLine, LogLines } from './log-lines.ts';

export interface LogState {
  lines: readonly LogLine[];
  /** What came too fast to be told. */
  skipped: number;
  isLoading: boolean;
  error: Error | null;
}

/** Pieces of up to 64 KiB: what comes at once is taken apart at once. */
const PAGE = 5;
const AGAIN_MS = 2000;
/** Pieces that come together are shown together. */
const SHOW_EVERY_MS = 150;

interface Place {
  attempt: number;
  seq: number;
}

/** The log of a run: all that there is, page by page, and then what it writes, as it writes it. */
export function useLog(runId: string, isOpen: boolean): LogState {
  const [state, setState] = useState<LogState>({ lines: [], skipped: 0, isLoading: true, error: null });
  useEffect(() => {
    const gone = new AbortController();
    const log = new LogReader(runId, setState);
    log
      .read(gone.signal, isOpen)
      .catch((error: Error) => gone.signal.aborted || setState((before) => ({ ...before, isLoading: false, error })))
      .finally(() => log.show());
    return () => {
      gone.abort();
      log.stop();
    };
  }, [runId, isOpen]);
  return state;
}

class LogReader {
  readonly #runId: string;
  readonly #tell: (change: (before: LogState) => LogState) => void;
  readonly #lines = new LogLines();
  #place: Place = { attempt: 0, seq: 0 };
  #skipped = 0;
  #isLoading = true;
  #isStopped = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(runId: string, update: (change: (before: LogState) => LogState) => void) {
    this.#runId = runId;
    this.#tell = update;
  }

  async read(signal: AbortSignal, isOpen: boolean): Promise<void> {
    await this.#readWritten(signal);
    this.#isLoading = false;
    this.show();
    while (isOpen && !signal.aborted && !(await this.#follow(signal))) await pause(AGAIN_MS, signal);
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  show(): void {
    if (this.#isStopped) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const shown = { lines: [...this.#lines.all], skipped: this.#skipped, isLoading: this.#isLoading };
    this.#tell((before) => ({ ...before, ...shown }));
  }

  async #readWritten(signal: AbortSignal): Promise<void> {
    for (;;) {
      const query = { ...this.#place, limit: PAGE };
      const { items } = await request(
        'get',
        '/v1/runs/{id}/log/chunks',
        { path: { id: this.#runId }, query },
        { signal },
      );
      for (const { text, ...at } of items) this.#take(at, text);
      if (items.length < PAGE) return;
    }
  }

  /** True: the run has ended. False: the connection was cut. */
  async #follow(signal: AbortSignal): Promise<boolean> {
    const { attempt, seq } = this.#place;
    const after = attempt === 0 ? null : `${attempt}-${seq}`;
    const url = urlOf('/v1/runs/{id}/log/events', { path: { id: this.#runId } });
    try {
      for await (const event of streamEvents(url, { after, signal })) {
        if (event.name === 'end') return true;
        this.#takeEvent(event);
      }
      return false;
    } catch (error) {
      if (signal.aborted || isPassing(error)) return false;
      throw error;
    }
  }

  #takeEvent({ name, id, data }: { name: string; id: string | null; data: string }): void {
    const parsed: unknown = name === 'log' || name === 'skipped' ? JSON.parse(data) : null;
    if (typeof parsed !== 'object' || parsed === null) return;
    if ('lines' in parsed) this.#skipped += Number(parsed.lines);
    const [attempt = 0, seq = 0] = (id ?? '').split('-').map(Number);
    if ('text' in parsed) this.#take({ attempt, seq }, String(parsed.text));
  }

  #take(at: Place, text: string): void {
    this.#place = at;
    this.#lines.add(at.attempt, text);
    this.#timer ??= setTimeout(() => this.show(), SHOW_EVERY_MS);
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
