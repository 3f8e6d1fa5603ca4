import { once } from 'node:events';
import { createServer, type Server, connect as tcpConnect } from 'node:net';
import { afterFile } from './clean-up.ts';
import { type Fault, Link } from './proxy-link.ts';

/** A TCP relay before a server, to make the network between a client and it fail. Closed after the test file. */
export interface Proxy {
  /** Where clients connect: the URL given, with this relay's port. */
  readonly url: string;
  readonly port: number;
  /** Connections open now. */
  connections(): number;
  /** All is well again. What a hole held back arrives now, as TCP would resend it. */
  pass(): void;
  /** Each piece of data, both ways, arrives this much later, in order. */
  delay(ms: number): void;
  /** Nothing arrives, and nobody is told: a cut link. New connections open, and get no answer. */
  hole(): void;
  /** Open connections are reset, new ones at once, until `pass`. */
  reset(): void;
  /**
   * The next request whose data contain `request` reaches the server, its reply does not reach the
   * client: the connection is reset instead. Once. Resolves when it has happened.
   */
  loseReply(request: string): Promise<void>;
  /** Resets what is open; from now on connections go to this server: a failover behind one address. */
  switchTo(url: string): void;
}

/** Starts a relay to the server of a `postgresql:` or `redis:` URL, on a free port. */
export async function startProxy(url: string): Promise<Proxy> {
  let target = new URL(url);
  const links = new Set<Link>();
  let fault: Fault = { kind: 'pass' };
  let losing: { request: string; done: () => void } | undefined;
  const server = createServer((client) => {
    if (fault.kind === 'reset') {
      client.resetAndDestroy();
      return;
    }
    const link = new Link(client, tcpConnect(Number(target.port), target.hostname), fault);
    links.add(link);
    link.onClose(() => links.delete(link));
    link.onRequest((data) => {
      if (!losing || !data.includes(losing.request)) return;
      link.loseNextReply(losing.done);
      losing = undefined;
    });
  });
  const set = (next: Fault) => {
    fault = next;
    for (const link of links) link.set(next);
  };
  const port = await listen(server);
  afterFile(() => {
    set({ kind: 'reset' });
    server.close();
  });
  const relayed = new URL(url);
  relayed.port = String(port);
  return {
    url: relayed.href,
    port,
    connections: () => links.size,
    pass: () => set({ kind: 'pass' }),
    delay: (ms) => set({ kind: 'delay', ms }),
    hole: () => set({ kind: 'hole' }),
    reset: () => set({ kind: 'reset' }),
    loseReply: (request) =>
      new Promise((done) => {
        losing = { request, done };
      }),
    switchTo(next) {
      target = new URL(next);
      for (const link of links) link.set({ kind: 'reset' });
    },
  };
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the relay has no port');
  return address.port;
}
