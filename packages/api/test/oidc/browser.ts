import { expect } from 'vitest';
import type { Answer, Request, TestApi } from '../api.ts';
import type { TestProvider } from './provider.ts';

export const PATH = '/v1/session/oidc';
export const REFUSED = [401, 'oidc_refused'];
export const ANN = { 'sub-ann': { preferred_username: 'ann', email: 'ann@example.com', groups: ['ops', 'others'] } };

/** A sign-in that has begun: what the browser keeps, and where it is sent. */
export interface Begun {
  cookie: string;
  url: URL;
}

export const cookiesOf = ({ headers }: Answer) => [headers['set-cookie'] ?? []].flat().map(String);
export const sessionOf = (answer: Answer) => cookieNamed(answer, '__Host-escapement');
export const told = ({ status, body }: Answer) => [status, body?.code];

function cookieNamed(answer: Answer, name: string): string {
  const pairs = cookiesOf(answer).map((line) => line.split(';')[0] ?? '');
  return pairs.find((pair) => pair.startsWith(`${name}=`)) ?? '';
}

export async function begin(
  api: TestApi,
  { returnTo, session }: { returnTo?: string; session?: string } = {},
): Promise<Begun> {
  const request: Request = { path: PATH, ...(returnTo === undefined ? {} : { query: { returnTo } }) };
  const answer = await api.ask({ ...request, headers: session === undefined ? {} : { cookie: session } }, null);
  expect([answer.status, answer.text]).toEqual([303, '']);
  return { cookie: cookieNamed(answer, '__Host-escapement-sign-in'), url: new URL(String(answer.headers.location)) };
}

/** The browser comes back. */
export function end(api: TestApi, url: URL, cookie: string | null): Promise<Answer> {
  return api.ask({ path: `${url.pathname}${url.search}`, headers: cookie === null ? {} : { cookie } }, null);
}

/** All of a sign-in. */
export async function signIn(
  api: TestApi,
  provider: TestProvider,
  { subject = 'sub-ann', ...given }: { subject?: string; returnTo?: string; session?: string } = {},
): Promise<Answer> {
  const { cookie, url } = await begin(api, given);
  return end(api, await provider.visit(url.href, subject), cookie);
}

/** A URL with another value of a parameter; null: without it. */
export function changed(url: URL, name: string, value: string | null): URL {
  const other = new URL(url);
  if (value === null) other.searchParams.delete(name);
  else other.searchParams.set(name, value);
  return other;
}
