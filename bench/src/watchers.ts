import { once } from 'node:events';
import { startChild } from './children.ts';

export interface WatchersInput {
  url: string;
  token: string;
  /** How many watch. */
  clients: number;
  /** How many of them read all that they hear. */
  readers: number;
}

/** Since the last report. */
export interface WatchersReport {
  /** From the end of a run, as Postgres has written it, until a client has heard of it. Milliseconds. */
  agesMs: number[];
  /** Taken by all of them. */
  bytes: number;
  /** How often one that reads was told to read all anew. */
  resyncs: number;
  /** Connections that stand. */
  open: number;
}

/** Clients of `/v1/events`, in a process of their own. */
export interface Watchers {
  pid: number;
  report(): Promise<WatchersReport>;
  stop(): Promise<void>;
}

export async function startWatchers(input: WatchersInput): Promise<Watchers> {
  const child = await startChild('./watchers-process.js', input);
  return {
    pid: child.pid,
    async report() {
      child.process.send('report');
      const [report] = await once(child.process, 'message');
      return report;
    },
    stop: () => child.stop(),
  };
}
