import type { Json } from './json.ts';
import { checkKeyTemplate, renderKey } from './key.ts';
import type { TaskDefinition } from './task.ts';

/** Throws `bad_key_template` where the key of a task's rate is none, `unknown_key_field` where its own payload does not fit. */
export function checkRateKey({ rate, schedule, onFleetStart, payload }: TaskDefinition): void {
  if (rate?.key === undefined) return;
  checkKeyTemplate(rate.key);
  if (schedule.kind !== 'manual' || onFleetStart) renderKey(rate.key, payload);
}

/** Throws where the payload of a run lacks what the key of its task's rate names. */
export function checkRatePayload({ rate }: TaskDefinition, payload: Json | undefined): void {
  if (rate?.key !== undefined) renderKey(rate.key, payload);
}
