import type { Database } from '@escapement/store';
import type { PoolClient } from 'pg';

/** A statement that a client sent to Postgres, as the bytes on its connection say. */
export interface PostgresCall {
  /** The name that it is prepared under; of one that is not prepared, its text. */
  name: string;
  /** The statement with its values. */
  sent: string;
  /** A transaction ended with it. */
  commits: boolean;
}

/**
 * Lists the statements that this process sends from now on over the two pools that runs use, by the messages of the protocol: what a
 * driver sends beside them is listed too.
 */
export function watchPostgres({ hot, pool }: Database): readonly PostgresCall[] {
  const calls: PostgresCall[] = [];
  const watched = new WeakSet<PoolClient>();
  for (const each of [hot, pool])
    each.on('acquire', (client) => {
      if (watched.has(client)) return;
      watched.add(client);
      watchStream(streamOf(client), calls);
    });
  return calls;
}

interface Stream {
  write(...args: unknown[]): boolean;
  on(event: 'data', listener: (data: Buffer) => void): void;
}

function streamOf(client: PoolClient): Stream {
  const { connection } = client as PoolClient & { connection?: { stream: Stream } };
  if (!connection) throw new Error('pg has moved its connection');
  return connection.stream;
}

function watchStream(stream: Stream, calls: PostgresCall[]): void {
  /** Sent, and not answered yet. */
  const open: PostgresCall[] = [];
  const sent = createReader((type, body) => {
    const call = callOf(type, body);
    if (!call) return;
    calls.push(call);
    open.push(call);
  });
  const answered = createReader((type, body) => {
    if (type !== 'Z') return;
    const last = open.splice(0).at(-1);
    if (last) last.commits = body.toString('latin1') === 'I';
  });
  const write = stream.write.bind(stream);
  stream.write = (...args) => {
    if (Buffer.isBuffer(args[0])) sent(args[0]);
    return write(...args);
  };
  stream.on('data', answered);
}

/** A statement begins with its values (Bind), or is sent as a text (Query). */
function callOf(type: string, body: Buffer): PostgresCall | undefined {
  const text = body.toString('latin1');
  if (type === 'Q') return { name: text.replace(/\0$/, ''), sent: text, commits: false };
  if (type !== 'B') return undefined;
  const [, name = ''] = text.split('\0');
  return { name, sent: text, commits: false };
}

/** Puts messages together again: each has a letter and its length. */
function createReader(onMessage: (type: string, body: Buffer) => void): (data: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return (data) => {
    rest = Buffer.concat([rest, data]);
    while (rest.length >= 5 && rest.length > rest.readInt32BE(1)) {
      const end = 1 + rest.readInt32BE(1);
      onMessage(rest.toString('latin1', 0, 1), rest.subarray(5, end));
      rest = rest.subarray(end);
    }
  };
}
