import { addDrift } from '@escapement/core';
import type { OnError } from '@escapement/service';
import type { Healed, HealingStep } from './step.ts';

/** Takes the steps one after the other; one that fails is told of and does not keep the others from being taken. */
export async function healAll(steps: readonly HealingStep[], onError: OnError): Promise<Healed> {
  let healed: Healed = { counts: {}, more: false };
  for (const step of steps) {
    try {
      const { counts, more } = await step.heal();
      healed = { counts: addDrift(healed.counts, counts), more: healed.more || more };
    } catch (error) {
      onError(error, { name: `reconciler, ${step.name}` });
    }
  }
  return healed;
}
