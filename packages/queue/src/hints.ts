import { SECOND } from '@escapement/core';
import { Redis } from 'ioredis';
import { openOf, type RedisConnection } from './connection.ts';
import { hintChannel } from './keys.ts';
import { patientOptions } from './redis-options.ts';

/**
 * Words from process to process by Redis' pub/sub. They get lost (an outage, a slow reader): a hint may only say
 * that it is worth while to look into Postgres now; whoever hears none looks all the same, a little later.
 */
export interface Hints {
  /** Resolves in any case, whether anybody heard it or not. */
  publish(channel: string, payload: string): Promise<void>;
  /** Calls back for each hint, and once with `undefined` after each gap in which hints may have been missed. */
  subscribe(channel: string, listener: (payload: string | undefined) => void): void;
  close(): Promise<void>;
}

/** A link that was cut silently is found this long after, plus the command's time limit. */
const PROBE_MS = 5 * SECOND;

export function createHints(connection: RedisConnection): Hints {
  const { client, options, report } = openOf(connection);
  const listeners = new Map<string, ((payload: string | undefined) => void)[]>();
  let subscriber: Redis | undefined;
  let probe: NodeJS.Timeout | undefined;

  function tell(channel: string, payload: string | undefined): void {
    for (const listener of listeners.get(channel) ?? []) {
      try {
        listener(payload);
      } catch (error) {
        report(error instanceof Error ? error : new Error(String(error)));
      }
    }
  }

  function open(): Redis {
    const opened = new Redis(patientOptions(options));
    opened.on('error', report);
    opened.on('message', tell);
    let connections = 0;
    opened.on('ready', () => {
      connections += 1;
      if (connections > 1) for (const channel of listeners.keys()) tell(channel, undefined);
    });
    probe = setInterval(() => opened.status === 'ready' && opened.ping().catch(report), PROBE_MS).unref();
    return opened;
  }

  return {
    async publish(channel, payload) {
      await client.publish(hintChannel(connection.namespace, channel), payload).catch(report);
    },
    subscribe(channel, listener) {
      const name = hintChannel(connection.namespace, channel);
      listeners.set(name, [...(listeners.get(name) ?? []), listener]);
      subscriber ??= open();
      // Waits until Redis is there; ioredis subscribes again by itself after each gap.
      subscriber.subscribe(name).catch(report);
    },
    async close() {
      clearInterval(probe);
      subscriber?.removeListener('error', report);
      subscriber?.on('error', () => undefined);
      subscriber?.disconnect();
    },
  };
}
