import { admitProgress, type Progress } from '@escapement/core';
import { natives } from './natives.ts';

/** Least time between two reports to the worker. */
const EVERY_MS = 100;

/** Passes on that a handler lives and how far it is: the first report at once, of those that follow soon the latest. */
export class Reporter {
  readonly #send: (progress: Progress | null) => void;
  #waiting: { progress: Progress | null } | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(send: (progress: Progress | null) => void) {
    this.#send = send;
  }

  heartbeat(): void {
    this.#report(this.#waiting?.progress ?? null);
  }

  progress(done: number, total?: number, note?: string): void {
    this.#report(admitProgress(done, total, note));
  }

  /** Sends what still waits. */
  end(): void {
    this.#pass();
    natives.clearTimeout(this.#timer);
  }

  #report(progress: Progress | null): void {
    this.#waiting = { progress };
    if (this.#timer === undefined) this.#pass();
  }

  #pass(): void {
    this.#timer = undefined;
    if (!this.#waiting) return;
    this.#send(this.#waiting.progress);
    this.#waiting = undefined;
    this.#timer = natives.setTimeout(() => this.#pass(), EVERY_MS).unref();
  }
}
