import { LatestSorted } from './latest-sorted.ts';

export const ESTIMATES = ['mean', 'max', 'p95'] as const;
/** What the next turn is taken to last. */
export type Estimate = (typeof ESTIMATES)[number];

/** Turns that `p95` looks at: enough for a steady figure, few enough to follow turns that grow longer. */
const LATEST = 1000;

/** How long the next turn will last, by those that were measured. Its memory does not grow with their number. */
export class DurationEstimate {
  readonly #kind: Estimate;
  readonly #latest: LatestSorted | undefined;
  #count = 0;
  #sumMs = 0;
  #maxMs = 0;

  constructor(kind: Estimate) {
    this.#kind = kind;
    this.#latest = kind === 'p95' ? new LatestSorted(LATEST) : undefined;
  }

  add(durationMs: number): void {
    this.#count += 1;
    this.#sumMs += durationMs;
    this.#maxMs = Math.max(this.#maxMs, durationMs);
    this.#latest?.add(durationMs);
  }

  /** Milliseconds; 0 while nothing has been measured. */
  get ms(): number {
    if (this.#kind === 'mean') return this.#count === 0 ? 0 : this.#sumMs / this.#count;
    return this.#latest ? (this.#latest.quantile(0.95) ?? 0) : this.#maxMs;
  }
}
