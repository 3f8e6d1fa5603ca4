// The thread that renews leases while the main thread may be blocked by a handler.
import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '@escapement/core/basics';
import { Redis } from 'ioredis';
import { impatientOptions } from '../redis/redis-options.ts';
import type { RedisServer } from '../redis/redis-server.ts';
import { type RenewalMarker, renewLeases } from './lease-renewal.ts';
import { leaseScripts } from './lease-scripts.ts';
import { openLeaseTable, sharedNowMs } from './lease-table.ts';

/** What the main thread gives the thread to start with. */
export interface RenewerData {
  memory: SharedArrayBuffer;
  server: RedisServer;
  leaseMs: number;
  maxBlockMs: number;
  /** The process' own key in Redis that tells whether Redis forgot. */
  markerKey: string;
}

/** What the thread tells the main thread. */
export type RenewerMessage = { type: 'ready' } | { type: 'lost' } | { type: 'error'; message: string };

const { memory, server, leaseMs, maxBlockMs, markerKey }: RenewerData = workerData;
const table = openLeaseTable(memory);
// Shorter than the usual limit: there must be time for a second try.
const client = new Redis(impatientOptions({ ...server, commandTimeoutMs: Math.ceil(leaseMs / 4) }));
const scripts = leaseScripts(client);
const marker: RenewalMarker = { redisKey: markerKey, setMs: null, iso: () => systemClock.now().toISOString() };

function tell(message: RenewerMessage): void {
  parentPort?.postMessage(message);
}

async function pass(): Promise<number> {
  try {
    const lost = await renewLeases({ table, scripts, leaseMs, maxBlockMs, nowMs: sharedNowMs, marker });
    if (lost > 0) tell({ type: 'lost' });
    return leaseMs / 3;
  } catch (error) {
    tell({ type: 'error', message: `leases could not be renewed: ${error instanceof Error ? error.message : error}` });
    return leaseMs / 20;
  }
}

async function run(): Promise<void> {
  setTimeout(run, await pass());
}

client.on('error', (error) => tell({ type: 'error', message: error.message }));
client.once('ready', () => tell({ type: 'ready' }));
void run();
