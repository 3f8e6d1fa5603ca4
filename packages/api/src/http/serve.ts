import { Readable } from 'node:stream';
import { permitReading, seesPayloads } from '@escapement/operations';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { checkAnswer, shownTo, toJson } from './answer.ts';
import { authenticate } from './authenticate.ts';
import type { ApiContext, Route, TextAnswer } from './route.ts';

export interface ServeOptions {
  context: ApiContext;
  /** Refuse answers that are not as declared. */
  checksAnswers: boolean;
}

/** Answers a request by a route: who asks, what they ask, whether they may, and then the route itself. */
export async function serve(
  route: Route,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  { context, checksAnswers }: ServeOptions,
): Promise<FastifyReply> {
  const { db } = context;
  const caller = await authenticate(db, {
    authorization: request.headers.authorization,
    address: request.ip,
    requestId: request.id,
  });
  const { params, query, body, headers, id: requestId } = request;
  const opened = route.open(
    { params, query, body },
    { ...context, headers, requestId, by: caller.by, header: (name, value) => void reply.header(name, value) },
  );
  const by = caller.by();
  await permitReading(db, by, await opened.reading());
  const answer = await opened.handle();
  reply.code(route.status);
  if (typeof route.answer === 'string') {
    const { contentType, text } = answer as TextAnswer;
    return reply.type(contentType).send(typeof text === 'string' ? text : Readable.from(text));
  }
  const json = toJson(shownTo(answer, seesPayloads(by, db.namespace)));
  if (checksAnswers) checkAnswer(route.answer, json);
  return reply.type('application/json; charset=utf-8').send(json);
}
