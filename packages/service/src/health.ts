import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Clock, EscapementError, SECOND, systemClock } from '@escapement/core';
import { type CheckAnswer, createCheckRunner, type HealthCheck } from './health-check.ts';
import type { Logger } from './logger.ts';

export interface HealthServer {
  /**
   * Listens; resolves with the address.
   * @throws EscapementError `health_port_taken`, `health_address` when it cannot listen there.
   */
  start(): Promise<{ host: string; port: number; url: string }>;
  /** Ends at once; answers under way are cut off. */
  stop(): Promise<void>;
}

export interface HealthServerOptions {
  /** The program, as `/healthz` and `/readyz` name it. */
  service: string;
  host: string;
  /** 0 = any free port. */
  port: number;
  /** What must be well for the process to be ready. */
  checks: readonly HealthCheck[];
  /** What else it answers: a text for each path. Default: nothing. */
  pages?: Readonly<Record<string, Page>>;
  log: Logger;
  clock?: Clock;
}

export interface Page {
  contentType: string;
  text(): Promise<string>;
}

/** Connections that have asked nothing yet; a further one takes the place of the oldest. */
const MAX_IDLE = 50;
/** From the start of a connection until its request is there. */
const REQUEST_MS = 2 * SECOND;
/** `/readyz` is asked by anybody; servers are asked once in this time. */
const FRESH_MS = 1 * SECOND;

/**
 * Answers `/healthz` (200 while the process lives: restart it when this fails) and `/readyz` (200 when
 * every check is well, else 503; JSON with each check either way), and the pages that it is given.
 */
export function createHealthServer(options: HealthServerOptions): HealthServer {
  const { service, host, port, log, pages = {}, clock = systemClock } = options;
  const paths = ['/healthz', '/readyz', ...Object.keys(pages)];
  const startedMs = clock.monotonicMs();
  const runChecks = createCheckRunner(options.checks, {
    clock,
    freshMs: FRESH_MS,
    onError: (check, err) => log.warn({ who: 'health', check, err }, 'health check failed'),
  });
  const upSeconds = () => Math.round((clock.monotonicMs() - startedMs) / SECOND);

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url?.split('?')[0];
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return send(response, 405, { error: 'GET or HEAD only' });
    if (path === '/healthz') return send(response, 200, { ok: true, service, upSeconds: upSeconds() });
    const page = path === undefined || !Object.hasOwn(pages, path) ? undefined : pages[path];
    if (page) return sendText(response, page.contentType, await page.text());
    if (path !== '/readyz') return send(response, 404, { error: `there are ${paths.join(', ')}` });
    const checks = await runChecks();
    const ok = checks.every((check) => check.ok);
    send(response, ok ? 200 : 503, { ok, service, upSeconds: upSeconds(), checks });
  }

  const limits = { headersTimeout: REQUEST_MS, requestTimeout: REQUEST_MS, connectionsCheckingInterval: 1 * SECOND };
  const server = createServer(limits, (request, response) => {
    idle.delete(request.socket);
    request.resume();
    answer(request, response).catch((err) => log.error({ who: 'health', err }, 'health request failed'));
  });
  const idle = boundIdle(server);

  return {
    async start() {
      await listen(server, host, port);
      server.on('error', (err) => log.error({ who: 'health', err }, 'health server failed'));
      const address = server.address();
      const actual = typeof address === 'object' && address ? address.port : port;
      return { host, port: actual, url: `http://${host.includes(':') ? `[${host}]` : host}:${actual}` };
    },
    async stop() {
      server.closeAllConnections();
      if (server.listening) await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** Whoever connects and says nothing must not keep probes out. */
function boundIdle(server: Server): Set<Socket> {
  const idle = new Set<Socket>();
  server.on('connection', (socket) => {
    idle.add(socket);
    socket.once('close', () => idle.delete(socket));
    const [oldest] = idle;
    if (idle.size > MAX_IDLE) oldest?.destroy();
  });
  return idle;
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(listenError(error, host, port)));
    server.listen({ host, port }, () => {
      server.removeAllListeners('error');
      resolve();
    });
  });
}

function listenError(error: Error, host: string, port: number): EscapementError {
  const taken = 'code' in error && error.code === 'EADDRINUSE';
  return new EscapementError(
    taken ? 'health_port_taken' : 'health_address',
    taken
      ? `another process listens on port ${port} of ${host}`
      : `the health server cannot listen on ${host}:${port} (${error.message})`,
    {
      fix: 'set ESCAPEMENT_HEALTH_PORT to another port, 0 (any free one) or off; or ESCAPEMENT_HEALTH_HOST',
      cause: error,
    },
  );
}

function send(
  response: ServerResponse,
  status: number,
  body: Record<string, unknown> | { checks: CheckAnswer[] },
): void {
  response.writeHead(status, headersOf('application/json'));
  response.end(`${JSON.stringify(body)}\n`);
}

function sendText(response: ServerResponse, contentType: string, text: string): void {
  response.writeHead(200, headersOf(contentType));
  response.end(text);
}

/** A kept connection would delay the end of the process, and a probe comes rarely. */
function headersOf(contentType: string): Record<string, string> {
  return { 'content-type': contentType, 'cache-control': 'no-store', connection: 'close' };
}
