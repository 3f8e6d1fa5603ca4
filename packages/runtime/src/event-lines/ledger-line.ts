import { type EngineEvent, LEDGER_MOVES } from '@escapement/core';
import { isGap } from '@escapement/core/verify-ledger';
import { type Line, line } from './line.ts';

export type LedgerEvent = Extract<
  EngineEvent,
  { event: 'calls_grouped' | 'ledger_verified' | 'ledger_finding' | 'planners_silent' | 'ledger_moved' }
>;

/** What is told of the ledger as a whole. */
export function ledgerLine(event: LedgerEvent): Line {
  if (event.event === 'calls_grouped')
    return line('debug', event, 'calls shared a statement', ['statement', 'members']);
  if (event.event === 'planners_silent')
    return line('error', event, 'no scheduler has completed a planner pass for too long: nothing is planned', [
      'sinceMs',
    ]);
  if (event.event === 'ledger_moved')
    return line(
      'warn',
      event,
      `${LEDGER_MOVES[event.how]}; runs that are not in it may start again, under higher fences than any before`,
      ['from', 'to'],
    );
  if (event.event === 'ledger_verified')
    return line(
      event.gaps > 0 ? 'error' : 'debug',
      event,
      event.gaps > 0 ? 'the ledger has gaps' : 'the ledger has no gaps',
      ['tasks', 'expected', 'findings', 'gaps'],
    );
  const { task, kind, scheduledFor, run, detail } = event;
  return {
    level: isGap({ kind }) ? 'error' : 'warn',
    fields: { task, scheduledFor: scheduledFor.toISOString(), ...(run === null ? {} : { run }), detail },
    message: `ledger: ${kind.replace('_', ' ')}`,
  };
}
