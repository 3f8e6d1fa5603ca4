import { Client } from 'pg';
import type { Database } from './database.ts';
import { WAKE_CHANNEL } from './runs/trigger-run.ts';

export interface WakeListener {
  stop(): Promise<void>;
}

const RETRY_MS = 1000;

/**
 * Calls back when somebody has written something that is due at once. Only a hint: while the connection is down
 * nothing is heard, and who listens looks by itself every so often.
 */
export function listenForWake(db: Database, onWake: () => void): WakeListener {
  let stopped = false;
  let client: Client | undefined;
  let retry: NodeJS.Timeout | undefined;

  function again(): void {
    if (stopped || retry) return;
    void client?.end().catch(() => undefined);
    client = undefined;
    retry = setTimeout(() => {
      retry = undefined;
      void connect();
    }, RETRY_MS);
    retry.unref();
  }

  async function connect(): Promise<void> {
    const next = new Client({ connectionString: db.url, application_name: 'escapement wake', keepAlive: true });
    client = next;
    next.on('error', again);
    next.on('end', again);
    next.on('notification', ({ payload }) => {
      if (payload === db.namespace) onWake();
    });
    try {
      await next.connect();
      await next.query(`LISTEN ${WAKE_CHANNEL}`);
      onWake();
    } catch {
      again();
    }
  }

  void connect();
  return {
    async stop() {
      stopped = true;
      clearTimeout(retry);
      await client?.end().catch(() => undefined);
    },
  };
}
