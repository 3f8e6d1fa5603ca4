import { type Emit, SECOND } from '@escapement/core';
import type { Tracing } from '@escapement/core/traces';
import { processOutbox } from '@escapement/operations';
import { createLoop, type Loop, type OnError } from '@escapement/service';
import { createDefinitions, type Database, dueOutboxEntries } from '@escapement/store';
import type { Dispatcher } from './dispatcher.ts';
import { NO_PROBES, type Probes } from './probes.ts';

const WAIT_MS = 1 * SECOND;
/** The worker that ended a run carries out at once what follows it; what is still there then is anybody's. */
const GRACE_MS = 1 * SECOND;
const BATCH = 100;

export interface FollowersOutboxOptions {
  db: Database;
  /** Asked before each look. Default: it looks each time. */
  probes?: Pick<Probes, 'see'>;
  /** Default: it records no traces. */
  tracing?: Tracing;
  dispatcher: Pick<Dispatcher, 'enqueue'>;
  emit: Emit;
  onError: OnError;
}

/**
 * Makes the runs that follow others where no worker does: what a worker that died left behind, what follows runs that
 * never came to one (skipped, missed, lost, cancelled before their start), the next runs that tasks have decided for
 * themselves, and what could not be done before.
 */
export function createFollowersOutbox(options: FollowersOutboxOptions): Loop {
  const { probes = NO_PROBES } = options;
  const definitions = createDefinitions(options.db);

  async function runOnce(): Promise<number> {
    if (!(await probes.see('outbox'))) return WAIT_MS;
    const notes = await dueOutboxEntries(options.db, { olderThanMs: GRACE_MS, limit: BATCH });
    await options.dispatcher.enqueue(await processOutbox(notes, { ...options, definitions }));
    return notes.length === BATCH ? 0 : WAIT_MS;
  }

  return createLoop({ name: 'followers-outbox', runOnce, onError: options.onError });
}
