import type { GuardedProcess } from './guard.ts';
import { forgetOwner, type Owner } from './leftover.ts';
import { end } from './process-info.ts';

/** Where and how an embedded server runs. */
export interface EmbeddedOptions {
  /** The folder of its data; made when missing. Its log and the note of its owner are kept beside it. */
  dir: string;
  /** The port to take when it is free; 0 = any. */
  port: number;
  /** Speed instead of durability. Default false. */
  ephemeral?: boolean;
  /** A folder to delete once the server has ended, however that came about. */
  removeDir?: string | undefined;
  /** Further settings: `name=value` for Postgres, `--name value` for Redis. */
  settings?: string[];
}

/** A server that runs on this machine. */
export interface EmbeddedServer {
  url: string;
  port: number;
  /** Process id of the server. */
  pid: number;
  /** Whether it belongs to another process of ours that runs now; `stop` then leaves it alone. */
  shared: boolean;
  /** Settles when the server has ended, for whatever reason; never for a shared one. */
  ended: Promise<void>;
  /** Ends it in order (SIGKILL after 5 s) and waits for it. Again is harmless. */
  stop(): Promise<void>;
  /** Kills it as a crash would, and waits until it is gone; its data stay as they are. For tests. */
  crash(): Promise<void>;
}

/** Ties a server to what its folder says about its owner. */
export function embeddedServer(url: string, port: number, server: GuardedProcess, note: string): EmbeddedServer {
  const { pid } = server;
  const crash = async () => {
    await end(pid, 'SIGKILL');
    await server.ended;
  };
  const stop = async () => {
    await server.stop();
    await forgetOwner(note);
  };
  return { url, port, pid, shared: false, ended: server.ended, stop, crash };
}

/** A server that another process of ours runs: not ours to end. */
export function sharedServer(url: string, { port, serverPid: pid }: Owner): EmbeddedServer {
  const leave = async () => {};
  return { url, port, pid, shared: true, ended: new Promise(() => undefined), stop: leave, crash: leave };
}
