import { type By, briefly, EscapementError, inUtc } from '@escapement/core';
import { acceptCopy as accept, type CopyAccepted, type Database } from '@escapement/store';
import { needsReason } from '../needs-reason.ts';
import { permitInNamespace } from '../rights/permit.ts';
import { type CopySeen, lookAtCopy } from './look-at-copy.ts';

/** What is to become of what a restored ledger shows, and lacks. */
export interface CopyTerms {
  /** `close`: open runs end, as unknown or skipped, and nothing that was under way goes on. `keep`: they go on. */
  runs: 'close' | 'keep';
  /** `lost`: what was due since the copy is kept as lost. `catch-up`: it is treated as after an outage. */
  gap: 'lost' | 'catch-up';
  /** Since then nothing can have run. Default: now. */
  stoppedAt?: Date | undefined;
  /** By what a process is taken for dead. Milliseconds. */
  deadMs: number;
}

/**
 * Says what is to become of what a restored ledger shows as under way, and lacks; then it may be worked on. Null: that was said before, and
 * nobody has worked on it since. Throws `not_allowed`, `no_reason`, `fleet_alive`, `bad_instant`.
 */
export async function acceptCopy(db: Database, terms: CopyTerms, by: By): Promise<CopyAccepted | null> {
  const subject = { namespace: db.namespace };
  await permitInNamespace(db, by, 'access', { action: 'accept_copy', subject, what: `the namespace ${db.namespace}` });
  needsReason(by, 'a restored database is accepted by somebody who knows what happened');
  const seen = await lookAtCopy(db, terms);
  if (seen.alive.length > 0) throw fleetAlive(seen);
  if (!seen.open || seen.copyAt === null) return null;
  const untilAt = terms.stoppedAt ?? seen.now;
  if (untilAt > seen.now || untilAt < seen.copyAt) throw badInstant(untilAt, seen.copyAt);
  return await accept(
    db,
    { copyAt: seen.copyAt, untilAt, close: terms.runs === 'close', lose: terms.gap === 'lost' },
    by,
  );
}

function fleetAlive({ alive }: CopySeen): EscapementError {
  return new EscapementError('fleet_alive', `somebody works on this ledger already: ${briefly(alive)}`, {
    fix: 'stop all schedulers and workers, or wait until the heartbeats in the copy are old, and try again',
  });
}

function badInstant(at: Date, copyAt: Date): EscapementError {
  return new EscapementError('bad_instant', `the old fleet cannot have stopped at ${inUtc(at)}`, {
    fix: `give an instant from ${inUtc(copyAt)}, when the copy was taken, to now`,
  });
}
