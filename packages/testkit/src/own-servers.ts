import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type EmbeddedOptions, type EmbeddedServer, startPostgres, startRedis } from '@escapement/servers';
import { afterFile } from './clean-up.ts';
import { testServers } from './test-servers.ts';

/** A server for one test file alone, to do to it what a shared one would not bear. Ended after the file. */
export interface OwnServer {
  /** The same after a restart. */
  readonly url: string;
  readonly port: number;
  /** Process id of the server that runs now. */
  pid(): number;
  /** Ends it in order. */
  stop(): Promise<void>;
  /** SIGKILL: a crash. Waits until it is gone. */
  crash(): Promise<void>;
  /** Starts it again on its data and port. */
  start(): Promise<void>;
  /** SIGSTOP: the port is open, but nobody answers. */
  freeze(): void;
  /** SIGCONT. */
  thaw(): void;
}

export interface OwnServerOptions {
  /** As on the command line: `name=value` for Postgres, `--name value` for Redis. */
  settings?: string[];
}

/** A Postgres with an empty database `escapement`, as durable as in production. About 1 s. */
export function ownPostgres(options: OwnServerOptions = {}): Promise<OwnServer> {
  return own('postgres', options, startPostgres);
}

/** A Redis with AOF everysec, as compose has it. About 0.1 s. */
export function ownRedis(options: OwnServerOptions = {}): Promise<OwnServer> {
  const { redisProgram } = testServers();
  return own('redis', options, (at) => startRedis(redisProgram, at));
}

/** An `ownRedis` that asks for the password `right`, and has a user `narrow` with that password, who may do next to nothing. */
export async function lockedRedis(): Promise<OwnServer> {
  const server = await ownRedis();
  const link = connect(server.port, '127.0.0.1');
  link.end('ACL SETUSER narrow on >right ~* +ping +hello +auth\r\nCONFIG SET requirepass right\r\nQUIT\r\n');
  await text(link);
  return server;
}

async function own(
  name: string,
  { settings = [] }: OwnServerOptions,
  launch: (at: EmbeddedOptions) => Promise<EmbeddedServer>,
): Promise<OwnServer> {
  const dir = join(testServers().home, `${name}-${randomUUID()}`);
  let server = await launch({ dir, port: 0, settings });
  const { url, port } = server;
  const stop = () => server.stop();
  afterFile(async () => {
    await stop();
    await rm(dir, { recursive: true, force: true });
  });
  return {
    url,
    port,
    pid: () => server.pid,
    stop,
    crash: () => server.crash(),
    start: async () => {
      server = await launch({ dir, port, settings });
      if (server.port !== port) throw new Error(`${name}: port ${port} was taken while the server was down`);
    },
    freeze: () => void process.kill(server.pid, 'SIGSTOP'),
    thaw: () => void process.kill(server.pid, 'SIGCONT'),
  };
}
