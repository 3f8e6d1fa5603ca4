import { hostname, userInfo } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { actionOf, EscapementError, type Principal, processPrincipal } from '@escapement/core';
import { cancelRun, triggerOnce, triggerRuns, triggerTask } from '@escapement/operations';
import { findRun, openDatabase } from '@escapement/store';
import type { Fleet } from './fleet.ts';

export interface PostgresOptions {
  /** postgres:// URL of the fleet. */
  databaseUrl: string;
  /** Default 'default'. */
  namespace?: string;
  /** Who starts and cancels runs, as ledger and audit record it: the name of this program or of whom it acts for. Default: user@host. */
  name?: string;
  /** Connections at most in each of two pools. Default 4. */
  connections?: number;
}

/** How long to wait between two looks at a run that goes on. */
const LOOK_EVERY_MS = 250;

function ownName(): string {
  return `${userInfo().username}@${hostname()}`;
}

/** Connects on first use. */
export function overPostgres({ databaseUrl, namespace, connections, name = ownName() }: PostgresOptions): Fleet {
  const principal: Principal = { ...processPrincipal(name, hostname()), id: ownName() };
  const db = openDatabase({
    url: databaseUrl,
    applicationName: 'escapement client',
    ...(namespace === undefined ? {} : { namespace }),
    connections,
  });

  async function look(id: string) {
    const run = await findRun(db, id);
    if (!run) throw new EscapementError('unknown_run', `there is no run ${id}`, { fix: 'it may have been pruned' });
    return run;
  }

  return {
    async trigger({ task, idempotencyKey, ...asked }) {
      const context = { ...asked, by: actionOf(principal) };
      const runs = await (idempotencyKey === undefined
        ? triggerRuns(db, task, context)
        : triggerOnce(db, task, idempotencyKey, context));
      return runs.map(({ id }) => id);
    },
    triggerIn: (within, { task, ...asked }) => triggerTask(db, task, { ...asked, by: actionOf(principal), within }),
    look,
    async lookLater(id, signal) {
      await sleep(LOOK_EVERY_MS, undefined, signal ? { signal } : {}).catch(() => signal?.throwIfAborted());
      return await look(id);
    },
    async cancel(id, reason) {
      try {
        await cancelRun(db, id, actionOf(principal, reason));
        return true;
      } catch (error) {
        if (error instanceof EscapementError && error.code === 'run_ended') return false;
        throw error;
      }
    },
    close: () => db.close(),
  };
}
