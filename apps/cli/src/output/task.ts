import { zoneOf } from '@escapement/operations';
import type { Task } from '@escapement/store';
import { inZone } from './wording.ts';

/** When a task starts next, in the zone of its schedule. */
export function nextRun({ nextStartAt, definition }: Task): string {
  return nextStartAt ? inZone(nextStartAt, zoneOf(definition.schedule) ?? 'UTC') : '-';
}
