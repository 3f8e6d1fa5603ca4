import { type By, EscapementError } from '@escapement/core';
import { namespaceObject, type Right } from '@escapement/core/rights';
import {
  type Backfill,
  type Database,
  listBackfills,
  resumeBackfill as resume,
  stopBackfill as stop,
} from '@escapement/store';
import { permit, taskObjectOf } from '../rights/permit.ts';

/**
 * Stops a backfill: no more runs are made, those that have not started are cancelled, what runs goes on. `id` may be the
 * beginning of one. Returns it, and how many runs were cancelled. Throws `unknown_backfill`, `backfill_ended`.
 */
export async function stopBackfill(
  db: Database,
  id: string,
  by: By,
): Promise<{ backfill: Backfill; cancelled: number }> {
  await permitOnBackfill(db, by, 'cancel', { id, action: 'stop' });
  const backfill = await requireBackfill(db, id);
  const cancelled = await stop(db, backfill.id, by);
  if (cancelled === null) throw ended(backfill.id, `is ${backfill.state} already`);
  return { backfill, cancelled };
}

/** Goes on with a backfill that was stopped, where it had come to. Returns it. Throws `unknown_backfill`, `backfill_ended`. */
export async function resumeBackfill(db: Database, id: string, by: By): Promise<Backfill> {
  await permitOnBackfill(db, by, 'trigger', { id, action: 'resume' });
  const backfill = await requireBackfill(db, id);
  if (await resume(db, backfill.id, by)) return backfill;
  throw ended(backfill.id, `is ${backfill.state}, not stopped`);
}

/** Asks for a right on the task of a backfill. One that is not there is anybody's who may do it to all. */
async function permitOnBackfill(
  db: Database,
  by: By,
  right: Right,
  { id, action }: { id: string; action: string },
): Promise<void> {
  await permit(db, by, { action, subject: { backfill: id } }, async () => {
    const [found, another] = await listBackfills(db, { idPrefix: id.toLowerCase(), limit: 2 });
    if (!found || another) return [{ right, object: namespaceObject(db.namespace, `backfill ${id}`) }];
    return [{ right, object: await taskObjectOf(db, found.taskName) }];
  });
}

/** The backfill of an id or of its beginning. Throws `unknown_backfill`. */
async function requireBackfill(db: Database, text: string): Promise<Backfill> {
  const [found, another] = await listBackfills(db, { idPrefix: text.toLowerCase(), limit: 2 });
  if (found && !another) return found;
  const what = found ? `more than one backfill has an id that begins with "${text}"` : `there is no backfill "${text}"`;
  throw new EscapementError('unknown_backfill', what, { fix: 'see `escapement backfill list`' });
}

function ended(id: string, why: string): EscapementError {
  return new EscapementError('backfill_ended', `backfill ${id} ${why}`, { fix: 'see `escapement backfill list`' });
}
