import type { IncomingMessage } from 'node:http';
import type { Replicas } from './behind-nginx.ts';

/** An event, as it was told. */
export interface ReceivedEvent {
  id: string | undefined;
  event: string;
  // biome-ignore lint/suspicious/noExplicitAny: what is in it is what the tests ask.
  data: any;
}

/** A client of a stream of events that comes back with the id of the last one, as `EventSource` does. */
export interface EventClient {
  readonly received: readonly ReceivedEvent[];
  /** Of one kind. */
  of(event: string): ReceivedEvent[];
  /** How often it was let in so far. */
  connections(): number;
  stop(): void;
}

/** `last`: the event after which there is nothing more to come back for. */
export function eventClient({ ask, bearer }: Replicas, path: string, last?: string): EventClient {
  const received: ReceivedEvent[] = [];
  let [connections, lastId, stopped] = [0, '', false];
  let now: IncomingMessage | undefined;
  async function connect(): Promise<void> {
    now = await ask(path, { headers: { ...bearer, ...(lastId === '' ? {} : { 'last-event-id': lastId }) } });
    // A browser would give up here.
    if (now.statusCode !== 200) throw new Error(`${path}: ${now.statusCode}`);
    connections++;
    let rest = '';
    for await (const chunk of now.setEncoding('utf8')) {
      const pieces = `${rest}${chunk}`.split('\n\n');
      rest = pieces.pop() ?? '';
      // What was cut off in the middle is not heard, and told again.
      for (const piece of pieces) if (/^event: /m.test(piece)) take(read(piece));
    }
  }
  function take(event: ReceivedEvent): void {
    lastId = event.id ?? lastId;
    received.push(event);
    stopped ||= event.event === last;
  }
  async function follow(): Promise<void> {
    while (!stopped) {
      try {
        await connect();
      } catch (error) {
        if (!isCut(error)) throw error;
      }
    }
  }
  void follow();
  return {
    received,
    of: (event) => received.filter((each) => each.event === event),
    connections: () => connections,
    stop() {
      stopped = true;
      now?.destroy();
    },
  };
}

function isCut(error: unknown): boolean {
  return error instanceof Error && 'code' in error;
}

function read(piece: string): ReceivedEvent {
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(piece)?.[1];
  return { id: field('id'), event: field('event') ?? '', data: JSON.parse(field('data') ?? 'null') };
}
