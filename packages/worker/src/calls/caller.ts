import type { BegunRun } from '@escapement/store';
import type { Asking } from '../execute/run-handler.ts';

/** Who asks: a run that its worker has begun. */
export interface Caller extends Asking {
  run: BegunRun;
  /** It only waits: it does not count against its worker's concurrency any more. */
  releasePlace(): void;
}
