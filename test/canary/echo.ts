import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterFile } from '@escapement/testkit';
import type { HTTP_DOORS } from './doors.ts';

export interface Echo {
  /** The URL of a door. */
  url(door: string): string;
  /** The bodies of all notices that came. */
  notices: string[];
}

/** Sends back what it was sent in the headers `X-Open` and `X-Canary`, by each of the doors; `/notice` keeps what comes. */
export async function startEcho(): Promise<Echo> {
  const notices: string[] = [];
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://echo');
    const door = decodeURIComponent(pathname.slice(1));
    if (door === 'mirror') return mirror(request, response);
    if (!door.startsWith('notice')) return answer(door as keyof typeof HTTP_DOORS, request, response);
    let body = JSON.stringify(request.headers);
    request.on('data', (piece) => {
      body += piece;
    });
    request.on('end', () => {
      notices.push(body);
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterFile(async () => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: (door) => `http://127.0.0.1:${port}/${encodeURIComponent(door)}`, notices };
}

/** Says all that it was told, as a server does whose debugger is on. */
function mirror(request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(500, { 'content-type': 'text/plain' }).write(JSON.stringify([request.url, request.headers]));
  request.pipe(response);
}

/** Of a body of which no more is shown: it ends within the secret. */
export const CUT_BYTES = 64;

function answer(door: keyof typeof HTTP_DOORS, request: IncomingMessage, response: ServerResponse): void {
  const words = `${request.headers['x-open']} ${request.headers['x-canary']}`;
  const text = { 'content-type': 'text/plain' };
  switch (door) {
    case 'body':
      return void response.writeHead(200, text).end(words);
    case 'pieces of a body':
      response.writeHead(200, text).write(words.slice(0, -9));
      return void setTimeout(() => response.end(words.slice(-9)), 100);
    case 'cut body':
      return void response.writeHead(200, text).end(words.padStart(CUT_BYTES + 8, '.'));
    case 'failed body':
      return void response.writeHead(500, text).end(`${words}${'.'.repeat(1990 - words.length)}${words}`);
    case 'status text':
      return void response.writeHead(500, words).end();
    case 'redirect':
      return void response.writeHead(302, { location: `https://x.example/${words.replace(' ', '/')}` }).end();
    case 'header':
      return void response.writeHead(200, { 'x-request-id': words }).end();
    case 'answer as output':
      return void response.writeHead(200, text).end(JSON.stringify({ said: words }));
    case 'message of an answer':
      return void response.writeHead(200, text).end(JSON.stringify({ output: words }));
    case 'bad message of an answer':
      return void response.writeHead(200, text).end(JSON.stringify({ [words]: 1 }));
    case 'state of an answer':
      return void response.writeHead(200, text).end(JSON.stringify({ state: words }));
  }
}
