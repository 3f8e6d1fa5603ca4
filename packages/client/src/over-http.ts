import { randomUUID } from 'node:crypto';
import { checkIdempotencyKey, EscapementError } from '@escapement/core';
import { checkTraceparent } from '@escapement/operations';
import type { RunView } from '@escapement/store';
import type { Fleet, Triggering } from './fleet.ts';
import { createSend, type HttpOptions } from './http/send.ts';

/** How long the API waits for the end of a run, before it is asked again. Milliseconds. */
const WAIT_MS = 25_000;

/** Throws `bad_api_url`, `no_api_token`. */
export function overHttp(options: HttpOptions): Fleet {
  const send = createSend(options);
  // The answer is there before the request is given up.
  const waitMs = Math.min(WAIT_MS, Math.floor((options.timeoutMs ?? 2 * WAIT_MS) / 2));

  async function waitFor(id: string, timeoutMs: number, signal?: AbortSignal): Promise<RunView> {
    const answer = await send({
      method: 'GET',
      path: pathOf(id, 'wait'),
      query: { timeoutMs: String(timeoutMs) },
      signal,
    });
    return runOf((await answer.json()) as RunJson);
  }

  return {
    async trigger(asked) {
      const answer = await send(triggering(asked));
      const { runs } = (await answer.json()) as { runs: { id: string }[] };
      return runs.map(({ id }) => id);
    },
    triggerIn: () =>
      Promise.reject(
        new EscapementError('needs_database', 'a run cannot be a part of a transaction over HTTP', {
          fix: 'make the client with databaseUrl, or trigger after the commit with an idempotencyKey',
        }),
      ),
    look: (id, signal) => waitFor(id, 0, signal),
    lookLater: (id, signal) => waitFor(id, waitMs, signal),
    async cancel(id, reason) {
      try {
        const body = reason === undefined ? {} : { reason };
        await send({ method: 'POST', path: pathOf(id, 'cancel'), body });
        return true;
      } catch (error) {
        if (error instanceof EscapementError && error.code === 'run_ended') return false;
        throw error;
      }
    },
    close: async () => {},
  };
}

/** With a key, so that it may be tried again where the answer is lost. */
function triggering({ payload, traceparent, idempotencyKey = randomUUID(), at, ...asked }: Triggering) {
  // Before they are headers: what does not fit one could not be sent at all.
  checkIdempotencyKey(idempotencyKey);
  checkTraceparent(traceparent);
  return {
    method: 'POST',
    path: '/v1/runs',
    body: { ...asked, payload, at: at === undefined ? undefined : textOf(at) },
    headers: { 'idempotency-key': idempotencyKey, ...(traceparent === undefined ? {} : { traceparent }) },
    repeatable: true,
  } as const;
}

/** Throws `bad_due_time`, as over Postgres. */
function textOf(at: Date): string {
  if (!Number.isNaN(at.getTime())) return at.toISOString();
  throw new EscapementError('bad_due_time', 'a run cannot be due at no date', { fix: 'give a time that is to come' });
}

function pathOf(id: string, action: string): string {
  return `/v1/runs/${encodeURIComponent(id)}/${action}`;
}

/** A value of a run, as JSON has it. */
type AsJson<Value> = Value extends Date | bigint
  ? string
  : Value extends { at: Date }
    ? Omit<Value, 'at'> & { at: string }
    : Value;
type RunJson = { [Field in keyof RunView]: AsJson<RunView[Field]> };

function runOf(run: RunJson): RunView {
  return {
    ...run,
    scheduledFor: new Date(run.scheduledFor),
    createdAt: new Date(run.createdAt),
    dueAt: new Date(run.dueAt),
    startBy: instantOf(run.startBy),
    startedAt: instantOf(run.startedAt),
    finishedAt: instantOf(run.finishedAt),
    cancelRequestedAt: instantOf(run.cancelRequestedAt),
    waitingSince: instantOf(run.waitingSince),
    waitUntil: instantOf(run.waitUntil),
    untilAt: instantOf(run.untilAt),
    fence: run.fence === null ? null : BigInt(run.fence),
    progress: run.progress && { ...run.progress, at: new Date(run.progress.at) },
  };
}

function instantOf(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}
