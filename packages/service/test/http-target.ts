import { createServer, type IncomingHttpHeaders } from 'node:http';

export interface Received {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface HttpTarget {
  url: string;
  received: Received[];
  /** Resolves once there are `count` requests. */
  reached(count: number): Promise<void>;
  close(): Promise<void>;
}

export interface Answer {
  status: number;
  headers?: Record<string, string>;
}

/** A local server that keeps what it receives; `answer` undefined = it never answers. */
export async function createHttpTarget(answer: (received: Received) => Answer | undefined): Promise<HttpTarget> {
  const received: Received[] = [];
  let waiting: { count: number; resolve: () => void }[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const one = { method: request.method ?? '', path: request.url ?? '', headers: request.headers, body };
    received.push(one);
    const reply = answer(one);
    if (reply) response.writeHead(reply.status, reply.headers).end('answer');
    for (const { resolve } of waiting.filter(({ count }) => count <= received.length)) resolve();
    waiting = waiting.filter(({ count }) => count > received.length);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    reached: (count) =>
      received.length >= count ? Promise.resolve() : new Promise((resolve) => waiting.push({ count, resolve })),
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
