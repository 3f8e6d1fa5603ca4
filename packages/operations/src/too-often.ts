import { type ErrorCode, EscapementError } from '@escapement/core';

/** Somebody has tried something too often. */
export class TooOften extends EscapementError {
  /** When a try may count again. Milliseconds. */
  readonly retryAfterMs: number;

  constructor(code: ErrorCode, message: string, { fix, retryAfterMs }: { fix: string; retryAfterMs: number }) {
    super(code, message, { fix });
    this.retryAfterMs = retryAfterMs;
  }
}
