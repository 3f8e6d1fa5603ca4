import { SECOND, systemClock } from '@escapement/core';

/** What became of one request. */
export interface Answer {
  kind: string;
  /** From when it was due until its answer was there. Milliseconds. */
  tookMs: number;
  /** Undefined: it was answered as it should be. */
  failure?: string;
}

export interface Load {
  perSecond: number;
  seconds: number;
  /** Sends the request of this number, and reads its answer. */
  ask: (index: number) => Promise<{ kind: string; failure?: string }>;
}

/**
 * Requests at a steady rate, whether or not earlier ones are answered. Each is timed from when it was due: if the server or this process
 * holds it up, that is in the figure.
 */
export async function openLoop({ perSecond, seconds, ask }: Load): Promise<Answer[]> {
  const startMs = systemClock.monotonicMs();
  const answers: Promise<Answer>[] = [];
  for (let index = 0; index < perSecond * seconds; index++) {
    const dueMs = startMs + (index * SECOND) / perSecond;
    const waitMs = dueMs - systemClock.monotonicMs();
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
    answers.push(ask(index).then((answer) => ({ ...answer, tookMs: systemClock.monotonicMs() - dueMs })));
  }
  return await Promise.all(answers);
}
