import { EscapementError, MINUTE, SECOND } from '@escapement/core';
import { createLoop, type Loop } from '@escapement/service';
import { answerRequest, type RequestResult, type TakenRequest, takeRequests } from '@escapement/store';
import { carryOut, type RequestMeans } from './carry-out.ts';

/** Who asks wakes the schedulers: this is for hints that were lost. */
const WAIT_MS = 2 * SECOND;
/** Requests carried out at once. */
const BATCH = 10;
/** Longer than any request takes: another scheduler may have died with it. */
const GONE_MS = 2 * MINUTE;

export interface RequestsOptions extends RequestMeans {
  /** This scheduler's process id. */
  processId: string;
  onError: (error: unknown) => void;
}

/** Carries out what people and programs ask of Redis, which they do not speak to themselves, and answers. */
export function createRequests(options: RequestsOptions): Loop {
  const { db, processId, onError } = options;

  async function answer({ id, request }: TakenRequest): Promise<void> {
    await answerRequest(db, id, processId, await resultOf(request));
  }

  async function resultOf(request: unknown): Promise<RequestResult> {
    try {
      return { answer: await carryOut(request, options) };
    } catch (thrown) {
      if (thrown instanceof EscapementError) return { error: thrown };
      onError(thrown);
      const message = thrown instanceof Error ? thrown.message : String(thrown);
      return { error: new EscapementError('request_failed', message, { fix: 'see the log of the schedulers' }) };
    }
  }

  async function runOnce(): Promise<number> {
    const requests = await takeRequests(db, { taker: processId, goneMs: GONE_MS, limit: BATCH });
    await Promise.all(requests.map(answer));
    return requests.length === BATCH ? 0 : WAIT_MS;
  }

  return createLoop({ name: 'requests', runOnce, onError, minWaitMs: 10 });
}
