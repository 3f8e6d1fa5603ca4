import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { type Emit, EscapementError, parseJson, SECOND } from '@escapement/core';
import { createForecastCache, createRowsAheadCache } from '@escapement/operations';
import type { Logger, OnError } from '@escapement/service';
import type { Database } from '@escapement/store';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { createFeed } from './events/feed.ts';
import { toJson } from './http/answer.ts';
import { connectionsOf } from './http/connections.ts';
import { hostCheck } from './http/hosts.ts';
import { judge, MAX_BODY_BYTES, ProblemError } from './http/problem.ts';
import { createReads } from './http/reads.ts';
import type { ApiContext, Route } from './http/route.ts';
import { type ServeOptions, serve } from './http/serve.ts';
import type { OidcSettings } from './oidc/provider.ts';
import { oidcWhenNeeded } from './oidc/when-needed.ts';
import { openApiDocument } from './openapi.ts';
import { createPingIntake } from './pings/ping-intake.ts';
import { addPings } from './pings/pings.ts';
import { ROUTES } from './routes/index.ts';
import { createSite } from './site/site.ts';

export interface ApiOptions extends Omit<ApiContext, 'feed' | 'oidc' | 'forecasts' | 'rowsAhead'> {
  /** A standby of `db`, which serves what is only shown. Default: there is none. */
  standby?: Database | undefined;
  host: string;
  /** 0 = any free port. */
  port: number;
  /** Beside loopback, the names under which it is reached, as `Host` has them. */
  hosts: readonly string[];
  /** Addresses or networks of proxies that are believed. */
  trustedProxies: readonly string[];
  /** The OpenID provider at which users may sign in. Default: none. */
  oidc?: OidcSettings | undefined;
  /** The folder of the built dashboard. Default: there is none, and `/` is no path. */
  siteFolder?: string | undefined;
  log: Logger;
  emit: Emit;
  onError: OnError;
  /** Refuse answers that are not as their route has declared them: for tests. Default false. */
  checksAnswers?: boolean;
}

export interface Api {
  /**
   * Listens; resolves with the address.
   * @throws EscapementError `api_port_taken`, `api_address` when it cannot listen there.
   */
  start(): Promise<{ url: string }>;
  /** Takes no further request, and waits for those under way. */
  stop(): Promise<void>;
  /** How many clients watch events. */
  watching(): number;
  /** The server, for requests without a network. */
  readonly server: FastifyInstance;
}

/** From its first byte until all of a request is there. */
const REQUEST_MS = 30 * SECOND;
/** A path longer than that is none of ours. */
const MAX_PARAM = 500;

/** The HTTP API of a namespace. It keeps nothing that another replica would miss. */
export function createApi(options: ApiOptions): Api {
  const { host, port } = options;
  const server = fastify({
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: REQUEST_MS,
    connectionTimeout: 0,
    trustProxy: [...options.trustedProxies],
    genReqId: () => randomUUID(),
    // A client's own id is not believed: it would stand in the audit.
    requestIdHeader: false,
    routerOptions: { maxParamLength: MAX_PARAM, ignoreTrailingSlash: false },
    forceCloseConnections: 'idle',
    return503OnClosing: true,
    // Requests are told as events.
    logger: false,
    // What is refused before any route is looked for: a path that cannot be decoded, or is too long.
    frameworkErrors: (error, request, reply) => void refuse(error, { request, reply }, options),
  });
  const connections = connectionsOf(server.server);
  allowEmptyBodies(server);
  refuseStrangers(server, options.hosts);
  const { db, clock, deadMs, onError, log, checksAnswers = false } = options;
  const feed = createFeed({ db, clock, deadMs, onError });
  const intake = createPingIntake({ db, clock, onError });
  const reads = createReads({ primary: db, standby: options.standby, emit: options.emit, onError });
  const stopping = new AbortController();
  const oidc = options.oidc ? oidcWhenNeeded(options.oidc, { clock, log }) : null;
  const { egress, traceUrl, apiUrl, appVersion, defaults, maxClockOffsetMs, allowEviction } = options;
  const settings = { deadMs, egress, traceUrl, apiUrl, appVersion, defaults, maxClockOffsetMs, allowEviction };
  const caches = { forecasts: createForecastCache(), rowsAhead: createRowsAheadCache() };
  const context: ApiContext = { db, clock, ...settings, feed, oidc, ...caches };
  for (const route of ROUTES) addRoute(server, route, { context, checksAnswers, stopping: stopping.signal, reads });
  const document = onFirstAsk(() => toJson(openApiDocument(ROUTES)));
  server.get('/openapi.json', (_, reply) => reply.type('application/json; charset=utf-8').send(document()));
  const site = options.siteFolder === undefined ? null : createSite(options.siteFolder);
  server.setNotFoundHandler((request, reply) => {
    if (site?.answer(request, reply)) return reply;
    throw notFound(request);
  });
  server.setErrorHandler((error, request, reply) => refuse(error, { request, reply }, options));
  notifyRequests(server, options);
  addPings(server, { db, clock, onUnexpected: (err, requestId) => log.error({ err, requestId }, 'ping failed') });
  return {
    server,
    async start() {
      try {
        await server.listen({ host, port });
      } catch (error) {
        throw listenError(error, host, port);
      }
      intake.start();
      reads.start();
      const address = server.server.address();
      const actual = typeof address === 'object' && address ? address.port : port;
      return { url: `http://${host.includes(':') ? `[${host}]` : host}:${actual}` };
    },
    watching: () => feed.size,
    async stop() {
      stopping.abort();
      await Promise.all([feed.stop(), intake.stop(), reads.stop()]);
      const closed = server.close();
      connections.endAll();
      await closed;
    },
  };
}

/** Most servers are never asked for it, and writing it takes memory that a process keeps. */
function onFirstAsk(write: () => string): () => string {
  let written: string | undefined;
  return () => {
    written ??= write();
    return written;
  };
}

/** A POST that says nothing needs no body, whatever its media type. */
function allowEmptyBodies(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser(
    ['application/json', 'application/merge-patch+json'],
    { parseAs: 'buffer' },
    (_, body, done) => {
      if (body.length === 0) return done(null, undefined);
      try {
        done(null, bodyOf(Buffer.from(body)));
      } catch (error) {
        done(error instanceof Error ? error : new Error(String(error)));
      }
    },
  );
}

/** Throws what makes a problem: not JSON, not UTF-8, a number that would change. */
function bodyOf(bytes: Buffer): unknown {
  if (!isUtf8(bytes))
    throw new ProblemError({ code: 'bad_text', detail: 'the body is not UTF-8', fix: 'send it as UTF-8' });
  try {
    return parseJson(bytes.toString('utf8'), 'the body');
  } catch (error) {
    if (error instanceof EscapementError) throw error;
    throw Object.assign(new Error('no JSON'), { code: 'FST_ERR_CTP_INVALID_JSON_BODY' });
  }
}

function refuseStrangers(server: FastifyInstance, hosts: readonly string[]): void {
  const isKnown = hostCheck(hosts);
  server.addHook('onRequest', async (request, reply) => {
    reply.headers({
      'x-request-id': request.id,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    if (isKnown(request.host)) return;
    throw new ProblemError({
      code: 'unknown_host',
      detail: `this server is not known as ${JSON.stringify(request.host.slice(0, 200))}`,
      fix: 'name it in ESCAPEMENT_API_HOSTS, or use an address that is in there',
    });
  });
}

function addRoute(server: FastifyInstance, route: Route, options: ServeOptions): void {
  server.route({
    method: route.method,
    url: route.path,
    config: { route },
    ...(route.maxBodyBytes === undefined ? {} : { bodyLimit: route.maxBodyBytes }),
    handler: (request, reply) => serve(route, { request, reply }, options),
  });
}

function routeOf(request: FastifyRequest): Route | undefined {
  const { config } = request.routeOptions;
  return config && 'route' in config ? (config.route as Route) : undefined;
}

function notFound(request: FastifyRequest): ProblemError {
  const [path = ''] = request.url.split('?');
  const methods = ROUTES.filter((route) => fits(route.path, path)).map(({ method }) => method);
  if (methods.length === 0)
    return new ProblemError({
      code: 'no_route',
      detail: `there is no ${path.slice(0, 200)}`,
      fix: 'GET /openapi.json lists all paths',
    });
  const detail = `${request.method} is not possible there`;
  return new ProblemError(
    { code: 'no_method', detail, fix: `use ${methods.join(' or ')}` },
    { allow: methods.join(', ') },
  );
}

function fits(pattern: string, path: string): boolean {
  const [wanted, given] = [pattern.split('/'), path.split('/')];
  return wanted.length === given.length && wanted.every((part, index) => part.startsWith(':') || part === given[index]);
}

function refuse(
  error: unknown,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  { log }: ApiOptions,
): FastifyReply {
  const { problem, headers, unexpected } = judge(error, routeOf(request));
  if (unexpected)
    log.error(
      { err: error, requestId: request.id, method: request.method, path: request.url.split('?')[0] },
      'request failed',
    );
  return reply
    .code(problem.status)
    .headers({ 'x-request-id': request.id, 'cache-control': 'no-store', ...headers })
    .type('application/problem+json')
    .send(toJson({ ...problem, requestId: request.id }));
}

/** Each request, once it is answered, or its client is gone. */
function notifyRequests(server: FastifyInstance, { emit }: ApiOptions): void {
  server.addHook('onResponse', async (request, reply) => {
    const route = routeOf(request);
    emit({
      event: 'request_answered',
      request: request.id,
      route: route?.id ?? 'none',
      method: request.method,
      status: reply.statusCode,
      changes: route?.audit !== null && route?.audit !== undefined,
      tookMs: reply.elapsedTime,
    });
  });
}

function listenError(error: unknown, host: string, port: number): EscapementError {
  const taken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
  const why = error instanceof Error ? error.message : String(error);
  return new EscapementError(
    taken ? 'api_port_taken' : 'api_address',
    taken ? `another process listens on port ${port} of ${host}` : `the API cannot listen on ${host}:${port} (${why})`,
    { fix: 'set ESCAPEMENT_API_PORT to another port, or 0 (any free one); or ESCAPEMENT_API_HOST', cause: error },
  );
}
