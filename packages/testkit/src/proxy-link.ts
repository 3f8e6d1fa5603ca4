import type { Socket } from 'node:net';

export type Fault = { kind: 'pass' } | { kind: 'delay'; ms: number } | { kind: 'hole' } | { kind: 'reset' };

/** One direction of a connection: what came in, in order, and from when on it may go out. */
interface Piece {
  data: Buffer | 'end';
  dueMs: number;
}

/** One connection through the relay. */
export class Link {
  readonly #client: Socket;
  readonly #server: Socket;
  #fault: Fault;
  #lose: (() => void) | undefined;
  #seen: (data: Buffer) => void = () => {};
  readonly #flush: (() => void)[] = [];

  constructor(client: Socket, server: Socket, fault: Fault) {
    this.#client = client;
    this.#server = server;
    this.#fault = fault;
    for (const socket of [client, server]) {
      socket.setNoDelay(true);
      socket.on('error', () => this.#destroy());
    }
    this.#relay(client, server, (data) => {
      this.#seen(data);
      return true;
    });
    this.#relay(server, client, () => !this.#replyIsLost());
  }

  /** Called with what the client sends, before it is passed on. */
  onRequest(listener: (data: Buffer) => void): void {
    this.#seen = listener;
  }

  onClose(listener: () => void): void {
    this.#client.once('close', listener);
  }

  set(fault: Fault): void {
    this.#fault = fault;
    if (fault.kind === 'reset') this.#destroy();
    else for (const flush of this.#flush) flush();
  }

  loseNextReply(done: () => void): void {
    this.#lose = done;
  }

  #replyIsLost(): boolean {
    if (!this.#lose) return false;
    const done = this.#lose;
    this.#lose = undefined;
    this.#destroy();
    done();
    return true;
  }

  #relay(from: Socket, to: Socket, admit: (data: Buffer) => boolean): void {
    const waiting: Piece[] = [];
    let timer: NodeJS.Timeout | undefined;
    const flush = () => {
      clearTimeout(timer);
      while (waiting[0] && this.#fault.kind !== 'hole') {
        const waitMs = waiting[0].dueMs - performance.now();
        if (waitMs > 0 && this.#fault.kind === 'delay') {
          timer = setTimeout(flush, waitMs);
          return;
        }
        const { data } = waiting.shift() ?? { data: 'end' };
        if (data === 'end') to.end();
        else to.write(data);
      }
    };
    const take = (data: Buffer | 'end') => {
      const delayMs = this.#fault.kind === 'delay' ? this.#fault.ms : 0;
      waiting.push({ data, dueMs: performance.now() + delayMs });
      flush();
    };
    this.#flush.push(flush);
    from.on('data', (data) => admit(data) && take(data));
    from.on('end', () => take('end'));
  }

  #destroy(): void {
    if (!this.#client.destroyed) this.#client.resetAndDestroy();
    if (!this.#server.destroyed) this.#server.destroy();
  }
}
