import {
  checkKeyTemplate,
  EscapementError,
  formatRate,
  type Json,
  renderKey,
  type TaskDefinition,
} from '@escapement/core';
import { type Database, disagreeingRate } from '@escapement/store';

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

/** Throws `rate_disagrees`. */
export async function checkRate(db: Database, { name, rate }: TaskDefinition): Promise<void> {
  if (!rate) return;
  const rateKey = rate.key ?? name;
  const other = await disagreeingRate(db, { name, rateKey, limit: rate.limit, perMs: rate.perMs });
  if (!other) return;
  throw new EscapementError(
    'rate_disagrees',
    `task ${name} asks for ${formatRate(rate)} under the rate's key "${rateKey}", task ${other.name} for ${formatRate(other)}`,
    { fix: "what is allowed belongs to the rate's key: give both the same rate, or another key" },
  );
}
