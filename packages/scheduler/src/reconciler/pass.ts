import { addDrift } from '@escapement/core';
import type { OnError } from '@escapement/service';
import type { GlanceKind } from '@escapement/store';
import type { Healed, HealingStep } from './step.ts';

/**
 * Takes the steps one after the other; one that fails is told of and does not keep the others from being taken. Steps that a
 * glance at the ledger shows to be needless are left out: it is asked for what the steps look at. If the glance fails all are taken.
 */
export async function healAll(
  steps: readonly HealingStep[],
  glance: (kinds: readonly GlanceKind[]) => Promise<ReadonlySet<GlanceKind>>,
  onError: OnError,
): Promise<Healed> {
  const kinds = new Set(steps.flatMap(({ among }) => among ?? []));
  const seen = await glance([...kinds]).catch((error) => onError(error, { name: 'reconciler, glance' }));
  let healed: Healed = { counts: {}, more: false };
  for (const step of steps) {
    if (seen && step.among && !seen.has(step.among) && !step.isForced?.()) continue;
    try {
      const { counts, more } = await step.heal();
      healed = { counts: addDrift(healed.counts, counts), more: healed.more || more };
    } catch (error) {
      onError(error, { name: `reconciler, ${step.name}` });
    }
  }
  return healed;
}
