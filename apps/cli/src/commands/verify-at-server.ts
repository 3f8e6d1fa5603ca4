import { setTimeout as sleep } from 'node:timers/promises';
import { getLedgerVerification, verifyLedger } from '@escapement/api/routes';
import { EscapementError, reportedCode, SECOND } from '@escapement/core';
import type { Context } from '../context.ts';
import { type Calls, withFleet } from '../fleet.ts';
import type { LedgerAsked, LedgerCompared } from './compared-ledger.ts';
import { noteWaiting } from './follow-request.ts';

const LOOK_EVERY_MS = 250;
/** How far it is is told so often. */
const NOTE_EVERY_MS = 10 * SECOND;

/** Has a scheduler compare the ledger, and waits for the end of it. Throws what it met, and `interrupted` on Ctrl-C: it goes on. */
export async function verifyAtServer(asked: LedgerAsked, context: Context): Promise<LedgerCompared> {
  const signal = context.interruptible();
  const { task, label } = asked;
  const body = { task, label: label?.text, from: asked.from.toISOString(), to: asked.to.toISOString() };
  return await withFleet(context, async (fleet) => {
    const { id } = await fleet.call(verifyLedger, { body });
    return await followVerification(fleet, id, signal, context);
  });
}

async function followVerification(
  fleet: Calls,
  id: string,
  signal: AbortSignal,
  context: Context,
): Promise<LedgerCompared> {
  const { clock, output } = context;
  let notedMs = clock.monotonicMs();
  while (!signal.aborted) {
    const { state, found, error } = await fleet.call(getLedgerVerification, { params: { id } });
    if (error) throw new EscapementError(reportedCode(error.code), error.message);
    if (state === 'done' && found) {
      const { named, verifiedTo, unseen, ...counts } = found;
      const findings = named.map((each) => ({ ...each, scheduledFor: new Date(each.scheduledFor) }));
      return { ...counts, to: new Date(verifiedTo), named: findings, unseen: unseen ?? undefined };
    }
    if (clock.monotonicMs() - notedMs >= NOTE_EVERY_MS) {
      notedMs = clock.monotonicMs();
      if (found) output.note(`compared up to ${found.verifiedTo}`);
      else await noteWaiting(fleet, context);
    }
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
  throw new EscapementError('interrupted', `the verification ${id} goes on`, {
    fix: `GET /v1/ledger-verifications/${id} says how far it is`,
  });
}
