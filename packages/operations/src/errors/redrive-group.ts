import { type By, HOUR } from '@escapement/core';
import { type NeededRight, namespaceObject, taskObject } from '@escapement/core/rights';
import { countNotRerun, type Database, putRequest, taskLabels } from '@escapement/store';
import { permit } from '../rights/permit.ts';
import { type FailuresAsked, runsOfGroup, unknownError } from './error-groups.ts';

/** Runs of a group that are run again at once; more of it by another act. */
const MOST_RUNS = 10_000;
const PATIENCE_MS = 1 * HOUR;

/** How many runs of a group `redriveGroup` would run again. Nothing is done. Throws `unknown_error` where no run of that time is in the group. */
export async function countRedrive(db: Database, fingerprint: string, asked: FailuresAsked): Promise<number> {
  const runs = await runsOfGroup(db, fingerprint, { ...asked, limit: MOST_RUNS });
  if (runs.length === 0) throw unknownError(fingerprint);
  return await countNotRerun(
    db,
    runs.map(({ id }) => id),
  );
}

/**
 * Has the runs of a group run again, those that were not yet: a bulk action, which a scheduler carries out. The right is asked for each task.
 * Returns the id of the request. Throws `not_allowed`, and `unknown_error` where no run of that time is in the group.
 */
export async function redriveGroup(db: Database, fingerprint: string, asked: FailuresAsked, by: By): Promise<string> {
  const runs = (await runsOfGroup(db, fingerprint, { ...asked, limit: MOST_RUNS })).reverse();
  const names = [...new Set(runs.map(({ taskName }) => taskName))];
  const entry = { action: 'ask', subject: { request: 'redrive' } };
  await permit(db, by, entry, async (): Promise<NeededRight[]> => {
    if (names.length === 0) return [{ right: 'rerun', object: namespaceObject(db.namespace, 'runs of all tasks') }];
    const labels = await taskLabels(db, names);
    return names.map((name) => ({ right: 'rerun', object: taskObject(db.namespace, name, labels.get(name)) }));
  });
  if (runs.length === 0) throw unknownError(fingerprint);
  const request = { kind: 'redrive_named' as const, error: fingerprint, runs: runs.map(({ id }) => id) };
  return await putRequest(db, { request, by, patienceMs: PATIENCE_MS, inChunks: true });
}
