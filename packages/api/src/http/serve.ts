import { Readable } from 'node:stream';
import { MAX_PRINCIPAL_NAME } from '@escapement/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { checkAnswer, toJson } from './answer.ts';
import { authenticate, type Caller, stranger } from './authenticate.ts';
import { carryOut } from './carry-out.ts';
import { ProblemError } from './problem.ts';
import type { Reads } from './reads.ts';
import type { ApiContext, RequestContext, Route } from './route.ts';

export interface ServeOptions {
  context: ApiContext;
  /** The server stops: answers that take long end. */
  stopping: AbortSignal;
  /** Refuse answers that are not as declared. */
  checksAnswers: boolean;
  reads: Pick<Reads, 'read'>;
}

/** Answers a request by a route: who asks, what they ask, whether they may, and then the route itself. */
export async function serve(
  route: Route,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  { context, checksAnswers, stopping, reads }: ServeOptions,
): Promise<FastifyReply> {
  const { params, query, body, headers, id: requestId, method, protocol, host } = request;
  const address = request.ip.slice(0, MAX_PRINCIPAL_NAME);
  const asking = {
    authorization: authorizationOf(route, request),
    address,
    requestId,
    method,
    headers,
    protocol,
    host,
  };
  const caller = route.anyone ? stranger(asking) : await authenticate(context, asking);
  const renew = async () => requireSame(caller, await authenticate(context, asking));
  // What is answered in one piece is not broken off: a signal of its own would be a twentieth of what a request takes.
  const signal = typeof route.answer === 'string' ? AbortSignal.any([stopping, goneSignal(reply)]) : stopping;
  const asked: RequestContext = {
    ...context,
    headers,
    requestId,
    address,
    ...caller,
    signal,
    renew,
    header: (name, value) => void reply.header(name, value),
  };
  const parts = { params, query, body };
  const answer = isOnlyShown(route)
    ? await reads.read((db) => carryOut(route, parts, { ...asked, db }, asked.db))
    : await carryOut(route, parts, asked);
  reply.code(route.status);
  if ('text' in answer) {
    const { contentType, text } = answer;
    return reply.type(contentType).send(typeof text === 'string' ? text : Readable.from(text, ONE_AHEAD));
  }
  const json = toJson(answer.json);
  if (checksAnswers && typeof route.answer !== 'string') checkAnswer(route.answer, json);
  return reply.type('application/json; charset=utf-8').send(json);
}

/** It may be read from a standby. Text is not: its pieces come while the standby may fail. */
export function isOnlyShown({ method, audit, anyone, answer, fromPrimary }: Route): boolean {
  return method === 'GET' && audit === null && !anyone && typeof answer !== 'string' && !fromPrimary;
}

/** What a reader has not taken waits where it comes from, which knows how much of it may. */
const ONE_AHEAD = { highWaterMark: 1 };

function authorizationOf({ tokenInQuery = false }: Route, { headers, query }: FastifyRequest): string | undefined {
  if (headers.authorization !== undefined || !tokenInQuery) return headers.authorization;
  const token = typeof query === 'object' && query !== null && 'token' in query ? query.token : undefined;
  return typeof token === 'string' ? `Bearer ${token}` : undefined;
}

/** Aborted once nobody waits for the answer any more. */
function goneSignal(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  return gone.signal;
}

/** Throws `ProblemError` (`grants_changed`). */
function requireSame(one: Caller, other: Caller): void {
  if (JSON.stringify(one.by().grants) === JSON.stringify(other.by().grants)) return;
  throw new ProblemError({ code: 'grants_changed', detail: 'what you may do has changed' });
}
