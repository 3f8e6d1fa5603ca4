import type { paths } from './generated/openapi.ts';
import { ApiAway, ApiProblem, problemOf } from './problem.ts';

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** Paths of the API that know a method. */
export type PathFor<M extends Method> = {
  [P in keyof paths]: paths[P] extends Record<M, { responses: unknown }> ? P : never;
}[keyof paths];

type Operation<M extends Method, P extends keyof paths> = paths[P] extends Record<M, infer O> ? O : never;

type Part<O, Name extends 'path' | 'query'> = O extends { parameters: { [K in Name]: infer Value } }
  ? { [K in Name]: Value }
  : O extends { parameters: { [K in Name]?: infer Value } }
    ? [Value] extends [undefined]
      ? unknown
      : { [K in Name]?: Exclude<Value, undefined> }
    : unknown;

type Json<Content> = Content extends { content: infer Types } ? Types[keyof Types] : never;

type BodyOf<O> = O extends { requestBody: infer Body }
  ? { body: Json<Body> }
  : O extends { requestBody?: infer Body }
    ? [Body] extends [undefined]
      ? unknown
      : { body?: Json<Exclude<Body, undefined>> }
    : unknown;

/** What an operation is given: parameters of path and query, and a body. */
export type Given<M extends Method, P extends keyof paths> = Part<Operation<M, P>, 'path'> &
  Part<Operation<M, P>, 'query'> &
  BodyOf<Operation<M, P>>;

/** What an operation answers with. */
export type Answer<M extends Method, P extends keyof paths> =
  Operation<M, P> extends { responses: infer Responses }
    ? Json<Responses[Extract<keyof Responses, 200 | 201 | 202>]>
    : never;

/** The parts of a request, without their types. */
export interface Parts {
  path?: Readonly<Record<string, unknown>>;
  query?: Readonly<Record<string, unknown>>;
  body?: unknown;
  /** Headers beside those of the body. */
  headers?: Readonly<Record<string, string>>;
  signal?: AbortSignal;
}

/** Asks the API. Throws `ApiProblem` for a refusal, `ApiAway` where nobody answers. */
export async function request<M extends Method, P extends PathFor<M>>(
  method: M,
  path: P,
  given: Given<M, P>,
  more: Pick<Parts, 'headers' | 'signal'> = {},
): Promise<Answer<M, P>> {
  const parts: Parts = { ...(given as Parts), ...more };
  const response = await ask(method, urlOf(path, parts), parts);
  if (!response.ok) throw new ApiProblem(await problemOf(response));
  return (await response.json()) as Answer<M, P>;
}

async function ask(method: Method, url: string, { body, headers, signal }: Parts): Promise<Response> {
  try {
    return await fetch(url, {
      method: method.toUpperCase(),
      headers: { accept: 'application/json', ...(body === undefined ? {} : JSON_BODY), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiAway(error);
  }
}

const JSON_BODY = { 'content-type': 'application/json' };

/** The URL of a request, on the server from which the page came. */
export function urlOf(path: string, { path: params = {}, query = {} }: Parts): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each !== undefined && each !== null && each !== '') search.append(name, String(each));
    }
  }
  const text = search.toString();
  return text === '' ? filled : `${filled}?${text}`;
}
