import { EscapementError, type TaskDefinition } from '@escapement/core';
import type { Database } from '../postgres/database.ts';
import { createGroupCommit } from '../postgres/group-commit.ts';
import { type TaskVersion, taskVersions } from './read-task.ts';

/** What becomes of a run depends on these. */
export type LossPolicy = Pick<TaskDefinition, 'maxLost' | 'retry'>;

/**
 * The policy of a run whose definition cannot be read here, the defaults: a worker of another version may be able to
 * read it; where none can the run is soon quarantined.
 */
export const UNREADABLE: LossPolicy = { maxLost: 3, retry: { maxAttempts: 1 } };

/** Task versions by id and number. They never change, so they are kept. */
export interface Definitions {
  get(taskId: string, version: number): Promise<TaskVersion>;
}

const MAX_KEPT = 10_000;

export function createDefinitions(db: Database): Definitions {
  const kept = new Map<string, Promise<TaskVersion>>();
  const reads = createGroupCommit({
    run: async (batch: readonly { taskId: string; version: number }[]) =>
      (await taskVersions(db, batch)).map((found) => ({ found })),
    placeOf: () => undefined,
  });

  async function read(taskId: string, version: number): Promise<TaskVersion> {
    const { found } = await reads.submit({ taskId, version });
    if (!found) throw new EscapementError('unknown_task_version', `task ${taskId} has no version ${version}`);
    return found;
  }

  function keep(place: string, reading: Promise<TaskVersion>): void {
    kept.set(place, reading);
    reading.catch(() => kept.delete(place));
    if (kept.size <= MAX_KEPT) return;
    const oldest = kept.keys().next();
    if (!oldest.done) kept.delete(oldest.value);
  }

  return {
    get(taskId, version) {
      const place = `${taskId} ${version}`;
      const known = kept.get(place);
      if (known) return known;
      const reading = read(taskId, version);
      keep(place, reading);
      return reading;
    },
  };
}
