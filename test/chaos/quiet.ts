import { setTimeout as delay } from 'node:timers/promises';
import { SECOND, systemClock } from '@escapement/core';
import { connectRedis, createRunQueue, listLeases, type RedisConnection, type RunQueue } from '@escapement/queue';
import type { Probe } from '@escapement/testkit';
import type { Fleet } from './fleet.ts';
import type { LedgerView } from './ledger.ts';

const LOOK_MS = 200;
/** Quiet counts from its first moment once it has lasted for so long: what was held up shows within it. */
const LASTS_MS = 1.2 * SECOND;
/** Beyond lease and bound, so that a late recovery is known from none. */
const PATIENCE_MS = 30 * SECOND;

/** Whether queue, ledger and leases agree again (I9): watched from outside, by SQL and in Redis. */
export interface QuietWatch {
  /**
   * Waits until nothing is overdue, no run or slot is held by the dead, and Redis holds the job of each queued run and
   * no lease of a run that is over. Resolves with the first instant of that (null: it did not come), and with what was
   * amiss last.
   */
  wait(): Promise<{ atMs: number | null; left: string[] }>;
  close(): Promise<void>;
}

export interface QuietOptions {
  ledger: LedgerView;
  fleet: Fleet;
  /** Of whatever Redis the fleet uses now. */
  redisUrl: string;
  leaseMs: number;
  probe: Probe;
  /** Default: three leases more than half a minute. */
  patienceMs?: number | undefined;
}

export function watchQuiet({
  ledger,
  fleet,
  redisUrl,
  leaseMs,
  probe,
  patienceMs = 3 * leaseMs + PATIENCE_MS,
}: QuietOptions): QuietWatch {
  const connection = connectRedis({ url: redisUrl, namespace: 'default', commandTimeoutMs: 2 * SECOND });
  const queue = createRunQueue(connection);
  // Something is amiss only if it was so at two looks: between a write there and one here there is always a moment.
  let before = new Set<string>();

  async function look(): Promise<string[]> {
    const dead = fleet.members.filter(({ alive, silent }) => !alive || silent).map(({ instance }) => instance);
    const amiss = await ledger.amiss({ dead, leaseMs });
    const [jobs, leases] = await Promise.all([jobsAmiss(queue, ledger), leasesAmiss(connection, ledger)]);
    const now = new Set([...jobs, ...leases]);
    const lasting = [...now].filter((each) => before.has(each));
    before = now;
    return [...amiss, ...lasting];
  }

  async function wait() {
    const isOver = probe.patience(patienceMs);
    let since: { wallMs: number; monotonicMs: number } | undefined;
    let left: string[] = [];
    for (;;) {
      const begun = { wallMs: systemClock.now().getTime(), monotonicMs: systemClock.monotonicMs() };
      const amiss = await look().catch((error: Error) => [`nobody could look: ${error.message}`]);
      const nowMs = systemClock.monotonicMs();
      if (amiss.length > 0) {
        left = amiss;
        since = undefined;
      } else since ??= begun;
      if (since && nowMs - since.monotonicMs >= LASTS_MS) return { atMs: since.wallMs, left };
      if (isOver()) return { atMs: null, left };
      await delay(LOOK_MS);
    }
  }

  return {
    wait,
    async close() {
      await queue.close();
      await connection.close();
    },
  };
}

async function jobsAmiss(queue: RunQueue, ledger: LedgerView): Promise<string[]> {
  const runs = await ledger.queued();
  const present = await queue.present(runs);
  return runs.filter((_, index) => !present[index]).map(({ runId }) => `run ${runId} is queued and has no job`);
}

async function leasesAmiss(connection: RedisConnection, ledger: LedgerView): Promise<string[]> {
  const leases = await listLeases(connection);
  const over = await ledger.over(leases.map(({ runId }) => runId));
  return leases
    .filter(({ runId }) => over.has(runId))
    .map(({ key, runId }) => `key ${key} has a lease of run ${runId}, which is over`);
}
