import { MAX_PRINCIPAL_NAME } from '@escapement/core';
import { readSignal } from '@escapement/core/monitors';
import { receivePing } from '@escapement/operations';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { judge, ProblemError } from '../http/problem.ts';
import type { ApiContext } from '../http/route.ts';
import { NO_BODY, type PingBody, readPingBody } from './read-body.ts';

/** What requests to these paths are called in metrics. They are no routes of the API: they are asked for by cron lines, and answer a word. */
const PING = { id: 'ping', audit: null, missing: [] };
const BYTES = 'application/octet-stream';
const METHODS = ['GET', 'POST'];
const NO_METHODS = ['PUT', 'PATCH', 'DELETE', 'OPTIONS'];

export interface PingOptions extends Pick<ApiContext, 'db' | 'clock'> {
  /** An error that is no user's. It is told without the path, which lets anybody ping. */
  onUnexpected: (error: unknown, requestId: string) => void;
}

/** `/ping/ID` and `/ping/ID/SIGNAL`: takes the pings of jobs that run elsewhere. The id in the path is all that is asked for. */
export function addPings(server: FastifyInstance, options: PingOptions): void {
  void server.register(async (pings) => {
    // Of any media type, also of one that cannot be read, as a pipe into curl sends it.
    pings.addHook('onRequest', async ({ raw }) => void Object.assign(raw.headers, { 'content-type': BYTES }));
    pings.removeAllContentTypeParsers();
    pings.addContentTypeParser(BYTES, async (_: FastifyRequest, body: FastifyRequest['raw']) => {
      const read = await readPingBody(body);
      if (typeof read === 'string') throw unread(read);
      return read;
    });
    pings.setErrorHandler((error, request, reply) => refuse(error, { request, reply }, options));
    for (const url of ['/ping/:id', '/ping/:id/:signal']) {
      pings.route({
        ...{ method: METHODS, url, config: { route: PING } },
        handler: (request, reply) => take(request, reply, options),
      });
      pings.route({
        ...{ method: NO_METHODS, url, config: { route: PING } },
        handler: async (_, reply) => answer(reply.header('allow', 'GET, HEAD, POST'), 405, 'use GET, HEAD or POST'),
      });
    }
  });
}

async function take(request: FastifyRequest, reply: FastifyReply, { db, clock }: PingOptions): Promise<FastifyReply> {
  const { params, query, body, ip, method } = request;
  const { id, signal: word } = params as { id: string; signal?: string };
  const signal = readSignal(word);
  if (!signal) return answer(reply, 404, 'no such signal: use /start, /fail, /log, or an exit status from 0 to 255');
  const { rid } = query as Record<string, unknown>;
  const sent = (body as PingBody | undefined) ?? NO_BODY;
  const address = ip.slice(0, MAX_PRINCIPAL_NAME);
  await receivePing(
    db,
    { ...{ id, signal, method, address }, ...sent, rid: rid === undefined ? null : String(rid) },
    clock.now(),
  );
  return answer(reply, 200, 'OK');
}

function answer(reply: FastifyReply, status: number, words: string): FastifyReply {
  return reply.code(status).type('text/plain; charset=utf-8').send(`${words}\n`);
}

/** In words that `curl -f` shows nobody, and without the path. */
function refuse(
  error: unknown,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  { onUnexpected }: PingOptions,
): FastifyReply {
  const { problem, headers, unexpected } = judge(error, { missing: ['unknown_ping'] });
  if (unexpected) onUnexpected(error, request.id);
  return answer(reply.headers(headers), problem.status, problem.detail);
}

function unread(why: 'too long' | 'cut off'): ProblemError {
  return why === 'cut off'
    ? new ProblemError({ code: 'bad_request', detail: 'the body was cut off' })
    : new ProblemError({ code: 'body_too_large', detail: 'a ping may bring 1 MiB with it' }, { connection: 'close' });
}
