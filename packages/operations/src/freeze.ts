import type { By } from '@escapement/core';
import { type Database, freezeFleet as freeze, unfreezeFleet as unfreeze } from '@escapement/store';
import { needsReason } from './needs-reason.ts';
import { permitInNamespace } from './rights/permit.ts';
import { checkEnd } from './tasks/pause-task.ts';

/**
 * Pauses all tasks from now on, until an instant or until somebody ends it (null): each occurrence that falls due is a row with the reason.
 * A freeze in force ends by it. Throws `no_reason`, and `bad_instant` for an end that has passed.
 */
export async function freezeFleet(db: Database, untilAt: Date | null, by: By): Promise<void> {
  await permitOnFleet(db, by, 'freeze');
  needsReason(by, 'everybody is shown why the fleet is frozen');
  await checkEnd(db, untilAt);
  await freeze(db, untilAt, by);
}

/** Ends the freeze; what was skipped is not run later. False: there was none. */
export async function unfreezeFleet(db: Database, by: By): Promise<boolean> {
  await permitOnFleet(db, by, 'unfreeze');
  return await unfreeze(db, by);
}

async function permitOnFleet(db: Database, by: By, action: string): Promise<void> {
  const subject = { namespace: db.namespace };
  await permitInNamespace(db, by, 'pause', { action, subject, what: `all tasks of the namespace ${db.namespace}` });
}
