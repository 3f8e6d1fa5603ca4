import { type EngineEvent, QUEUE_BLOCKS, type QueueBlock, queueBlockFix } from '@escapement/core';
import { type Line, line } from './line.ts';

export type QueueEvent = Extract<
  EngineEvent,
  { event: 'dispatch_failed' | 'drift' | 'queue_blocked' | 'queues_open' | 'repeatable_jobs_changed' }
>;

/** What is said of queues in Redis. */
export function queueLine(event: QueueEvent): Line {
  switch (event.event) {
    case 'dispatch_failed': {
      const fields = { runs: event.runs, err: event.error };
      return { level: 'warn', fields, message: 'queue did not take runs; trying again' };
    }
    case 'drift':
      return { level: 'debug', fields: { ...event.counts }, message: 'queue in Redis repaired to match the ledger' };
    case 'queue_blocked':
      return blockedLine(event);
    case 'queues_open':
      return line('info', event, 'no queue is blocked in Redis any more', []);
    case 'repeatable_jobs_changed':
      return line('debug', event, 'repeatable jobs made and removed', ['made', 'removed']);
  }
}

function blockedLine(event: QueueBlock): Line {
  const { queue, since, kind } = event;
  const fields = { queue, since, fix: queueBlockFix(event) };
  return { level: 'error', fields, message: `a queue ${QUEUE_BLOCKS[kind]}` };
}
