import { EscapementError } from '@escapement/core';
import type { Route, RouteOf } from '../http/route.ts';

/** The routes of the API for a program: it calls them, wherever they are carried out. */
export interface Calls {
  /**
   * Resolves with the answer: instants are `Date`s, large numbers `bigint`s. One of text is read as it comes. Throws `EscapementError` with the code
   * of what was refused, and the reason of the signal.
   */
  call<Given, Answer>(route: RouteOf<Given, Answer>, given: Given, options?: CallOptions): Promise<Answer>;
}

/** What a route answers. */
export type AnswerOf<Called> = Called extends RouteOf<infer _, infer Answer> ? Answer : never;

export interface CallOptions {
  signal?: AbortSignal | undefined;
  /** Over HTTP: ends a call that is not answered. Milliseconds. Default: that of the client. */
  timeoutMs?: number | undefined;
  /** As of a request: `if-match`, `idempotency-key`. */
  headers?: Readonly<Record<string, string>> | undefined;
}

/** A call as a request has it: text in path and query, JSON in the body. */
export interface Wired {
  params: Record<string, string>;
  query: Record<string, string>;
  body: unknown;
}

/** What is `undefined` is left out. */
export function wired(given: unknown): Wired {
  const { params, query, body } = (given ?? {}) as { params?: object; query?: object; body?: unknown };
  return {
    params: textsOf(params),
    query: textsOf(query),
    body: body === undefined ? undefined : JSON.parse(JSON.stringify(body)),
  };
}

function textsOf(values: object = {}): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
}

/** The path of a route with its parameters. Throws `bad_path` for one that a URL has no place for. */
export function pathOf({ path }: Pick<Route, 'path'>, params: Readonly<Record<string, string>>): string {
  return path.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = params[name] ?? '';
    // A URL takes them for steps to another path, however they are written.
    if (value === '' || value === '.' || value === '..')
      throw new EscapementError('bad_path', `${name} is ${JSON.stringify(value)}`, { fix: 'give what it is about' });
    return encodeURIComponent(value);
  });
}
