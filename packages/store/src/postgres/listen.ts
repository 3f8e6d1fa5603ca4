import type { Client } from 'pg';
import { CANCEL_CHANNEL } from '../runs/cancel-run.ts';
import { WAKE_CHANNEL } from '../runs/trigger-run.ts';
import { type Database, linkConfig } from './database.ts';
import { Link } from './link.ts';

export interface HintListener {
  stop(): Promise<void>;
}

const RETRY_MS = 1000;

/**
 * Calls back when somebody has written something that is due at once. Only a hint: while the connection is down
 * nothing is heard, and who listens looks by itself every so often. `onRate`: a run has begun to wait for a token of a rate, or the rate of a pool was set.
 */
export function listenForWake(db: Database, onWake: () => void, onRate?: () => void): HintListener {
  return listen(db, WAKE_CHANNEL, { [db.namespace]: onWake, ...(onRate && { [rateHint(db)]: onRate }) });
}

/** As the SQL function rate_wait_in_line says it. */
export function rateHint(db: Database): string {
  return `${db.namespace} rate`;
}

/** Calls back when somebody wants a running run cancelled; a hint only, as above. */
export function listenForCancel(db: Database, onCancel: () => void): HintListener {
  return listen(db, CANCEL_CHANNEL, { [db.namespace]: onCancel });
}

/** `hints`: what is to be done, by what is said on the channel. */
function listen(db: Database, channel: string, hints: Readonly<Record<string, () => void>>): HintListener {
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
    const next = new Link(linkConfig(db.url, 'escapement hints'));
    client = next;
    next.on('error', again);
    next.on('end', again);
    next.on('notification', ({ payload }) => {
      if (payload !== undefined && Object.hasOwn(hints, payload)) hints[payload]?.();
    });
    try {
      await next.connect();
      await next.query(`LISTEN ${channel}`);
      for (const onHint of Object.values(hints)) onHint();
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
