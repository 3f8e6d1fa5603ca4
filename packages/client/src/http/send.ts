import { setTimeout as sleep } from 'node:timers/promises';
import { EscapementError, SECOND } from '@escapement/core';
import { ApiError, refusalOf } from './refusal.ts';

export interface HttpOptions {
  /** Where the HTTP API is: `https://escapement.example`. It may have a path. */
  url: string;
  /** Who asks: a token, as `escapement tokens create` makes it. */
  token: string;
  /** Ends a request that is not answered. Milliseconds. Default 60,000. */
  timeoutMs?: number | undefined;
}

export interface HttpRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the URL of the API: `/v1/runs`. */
  path: string;
  query?: Readonly<Record<string, string>> | undefined;
  /** JSON. */
  body?: unknown;
  headers?: Readonly<Record<string, string>> | undefined;
  /** May be carried out twice without harm: it is tried again where there is no answer, or the server is too busy. Default: only a GET. */
  repeatable?: boolean | undefined;
  /** The answer comes piece by piece: it may take longer than `timeoutMs`, once it has begun. Default: false. */
  streams?: boolean | undefined;
  signal?: AbortSignal | undefined;
  /** Default: that of the options. */
  timeoutMs?: number | undefined;
}

/**
 * Carries out a request. Resolves with an answer of success. Throws `ApiError` with the code of what the API has refused, `api_unreachable`
 * where nobody answers, `api_answer` for an answer that is none of the API's, and the reason of the signal.
 */
export type Send = (request: HttpRequest) => Promise<Response>;

const TIMEOUT_MS = 60 * SECOND;
/** Before each further try. */
const TRY_AGAIN_MS = [200, 1000, 3000];
/** A server that asks for more is not waited for. */
const MOST_WAITED_MS = 10 * SECOND;

/** Throws `bad_api_url`, `no_api_token`. */
export function createSend({ url, token, timeoutMs: usualMs = TIMEOUT_MS }: HttpOptions): Send {
  const base = readApiUrl(url);
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new EscapementError('no_api_token', 'the token for the API is empty, or has characters that no token has', {
      fix: 'give a token as `escapement tokens create` prints it',
    });

  async function once(request: HttpRequest): Promise<Response> {
    const { method, path, query, body, headers, streams, signal, timeoutMs = usualMs } = request;
    const timeout = streams ? untilBegun(timeoutMs) : { signal: AbortSignal.timeout(timeoutMs) };
    const answer = await fetch(addressOf(base, path, query), {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      // A token is for the address that was given, and for no other one.
      redirect: 'manual',
      signal: signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal,
    })
      .catch((error: unknown) => {
        signal?.throwIfAborted();
        throw unreachable(base, error, timeoutMs);
      })
      .finally(() => 'begun' in timeout && timeout.begun());
    if (answer.ok) return answer;
    throw await refusalOf(base, answer);
  }

  return async (request) => {
    const { method, repeatable = method === 'GET', signal } = request;
    for (const waitMs of repeatable ? TRY_AGAIN_MS : []) {
      try {
        return await once(request);
      } catch (error) {
        const afterMs = tryAgainAfterMs(error);
        if (afterMs === undefined || afterMs > MOST_WAITED_MS) throw error;
        await sleep(Math.max(waitMs, afterMs), undefined, signal ? { signal } : {}).catch(() =>
          signal?.throwIfAborted(),
        );
      }
    }
    return await once(request);
  };
}

/** Ends a request whose answer has not begun in time. */
function untilBegun(timeoutMs: number): { signal: AbortSignal; begun: () => void } {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new DOMException('no answer in time', 'TimeoutError')), timeoutMs);
  return { signal: late.signal, begun: () => clearTimeout(timer) };
}

/** Undefined: it would be refused again. */
function tryAgainAfterMs(error: unknown): number | undefined {
  if (error instanceof ApiError) return error.retryAfterMs;
  return error instanceof EscapementError && error.code === 'api_unreachable' ? 0 : undefined;
}

/** Throws `bad_api_url`. */
function readApiUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && url.username === '' && url.search === '' && url.hash === '') return url;
  throw new EscapementError('bad_api_url', `${JSON.stringify(text)} is not the URL of an API`, {
    fix: 'give http:// or https:// and a host, as in https://escapement.example, without a user, "?" or "#"',
  });
}

function addressOf(base: URL, path: string, query: HttpRequest['query'] = {}): string {
  const asked = new URLSearchParams(query).toString();
  return `${base.href.replace(/\/+$/, '')}${path}${asked === '' ? '' : `?${asked}`}`;
}

function unreachable(base: URL, error: unknown, timeoutMs: number): EscapementError {
  const why = whyOf(error, timeoutMs);
  return new EscapementError('api_unreachable', `the API at ${base.origin} does not answer: ${why}`, {
    fix: 'start it, or correct the address; what was to be changed may have been carried out all the same',
    cause: error,
  });
}

/** `fetch` says what happened in the cause of its error. */
function whyOf(error: unknown, timeoutMs: number): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return `it took longer than ${timeoutMs} ms`;
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  return cause.message || ('code' in cause ? String(cause.code) : error.message);
}
