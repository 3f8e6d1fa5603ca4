import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  method: string | undefined;
  path: string | undefined;
  headers: IncomingMessage['headers'];
  body: string;
}

export interface TargetServer {
  url: string;
  /** What was asked so far. */
  received: Received[];
  stop(): Promise<void>;
}

/** A server on a free port that keeps what it is asked. */
export async function startTarget(answer: RequestListener): Promise<TargetServer> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    received.push({
      method: request.method,
      path: request.url,
      headers: request.headers,
      body: Buffer.concat(pieces).toString(),
    });
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
