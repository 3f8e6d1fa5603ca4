import { EscapementError } from '@escapement/core';
import type { Method, Route } from '../http/route.ts';
import { type Calls, pathOf, wired } from './calls.ts';

/** Sends a request, as `createSend` of the client does. Throws `EscapementError` for an answer other than success. */
export type SendRequest = (request: {
  method: Method;
  path: string;
  query: Readonly<Record<string, string>>;
  body: unknown;
  headers: Readonly<Record<string, string>> | undefined;
  /** The same request twice does the same as once. */
  repeatable: boolean;
  /** The answer takes as long as it takes. */
  streams: boolean;
  signal: AbortSignal | undefined;
  timeoutMs: number | undefined;
}) => Promise<Response>;

/** Asks a server. Throws what `send` throws, and `api_answer` for what does not fit the route. */
export function callsOverHttp(send: SendRequest): Calls {
  return {
    async call(route, given, { signal, headers, timeoutMs } = {}) {
      const { params, query, body } = wired(given);
      const { method } = route;
      const answer = await send({
        ...{ method, path: pathOf(route, params), query, headers, signal, timeoutMs },
        body: body ?? (method === 'GET' || method === 'DELETE' ? undefined : {}),
        repeatable: method === 'GET' || headers?.['idempotency-key'] !== undefined,
        streams: typeof route.answer === 'string',
      });
      return (typeof route.answer === 'string' ? textOf(answer, signal) : await jsonOf(route, answer)) as never;
    },
  };
}

async function* textOf({ body }: Response, signal: AbortSignal | undefined): AsyncGenerator<string> {
  if (!body) return;
  try {
    yield* body.pipeThrough(new TextDecoderStream());
  } catch (error) {
    signal?.throwIfAborted();
    throw new EscapementError('api_unreachable', 'the connection to the API broke before the end of its answer', {
      fix: 'ask again',
      cause: error,
    });
  }
}

async function jsonOf({ answer: schema, id }: Route, answer: Response): Promise<unknown> {
  const value: unknown = await answer.json().catch(() => undefined);
  const read = typeof schema === 'string' ? undefined : schema.safeParse(value);
  if (read?.success) return read.data;
  const [issue] = read?.error.issues ?? [];
  const where = issue && issue.path.length > 0 ? ` at ${issue.path.join('.')}` : '';
  throw new EscapementError('api_answer', `the API answers ${id} otherwise than expected${where}`, {
    fix: 'use the same version of escapement here as at the server',
  });
}
