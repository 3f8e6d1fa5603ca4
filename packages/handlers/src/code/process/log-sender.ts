import type { RunLog } from '@escapement/core';

/** Text under way at once. Small pieces within it go at once, so that a handler which then blocks has still been heard. */
const WINDOW = 16 * 1024;
/** Largest piece, in UTF-16 units. */
const PIECE = 32 * 1024;

/**
 * Brings a run's log to the worker, in order and no faster than the worker takes it: what is beyond the window waits
 * here as one text. How much that can be is bounded by the cap of the log, which lies before this.
 */
export class LogSender implements RunLog {
  readonly #send: (text: string, sent: () => void) => void;
  #waiting = '';
  #underWay = 0;
  #onFlushed: (() => void) | undefined;

  constructor(send: (text: string, sent: () => void) => void) {
    this.#send = send;
  }

  write(text: string): void {
    this.#waiting += text;
    this.#pump();
  }

  /** Resolves when all of it has gone. */
  flushed(): Promise<void> {
    return new Promise((resolve) => {
      this.#onFlushed = resolve;
      this.#pump();
    });
  }

  /** Sends all of it at once, for want of a later. */
  sendAll(): void {
    this.#pump(Number.POSITIVE_INFINITY);
  }

  #pump(window = WINDOW): void {
    while (this.#waiting !== '' && this.#underWay < window) {
      const piece = firstPiece(this.#waiting);
      this.#waiting = this.#waiting.slice(piece.length);
      this.#underWay += piece.length;
      this.#send(piece, () => {
        this.#underWay -= piece.length;
        this.#pump();
      });
    }
    if (this.#waiting === '' && this.#underWay === 0) this.#onFlushed?.();
  }
}

/** Does not part a surrogate pair. */
function firstPiece(text: string): string {
  if (text.length <= PIECE) return text;
  const last = text.charCodeAt(PIECE - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? PIECE - 1 : PIECE);
}
