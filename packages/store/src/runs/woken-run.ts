import type { DispatchableRun } from './plan-runs.ts';

/** A run that waited and is the next: queued under a new dispatch; its job is to be added. */
export interface WokenRun extends DispatchableRun {
  key: string;
  /** Reserved for it for `RESERVATION_MS`; null: it found room that has no slot's row yet. */
  slot: number | null;
}

/** As SQL functions say it: times in milliseconds. */
export interface WokenJson {
  id: string;
  queue: string;
  dispatch: number;
  key: string;
  slot: number | null;
  s: number;
  d: number;
}

export function toWokenRun({ id, queue, dispatch, key, slot, s, d }: WokenJson): WokenRun {
  return { id, queue, dispatch, key, slot, scheduledFor: new Date(s), dueAt: new Date(d) };
}
