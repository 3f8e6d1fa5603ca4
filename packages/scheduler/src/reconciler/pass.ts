import { addDrift } from '@escapement/core';
import type { OnError } from '@escapement/service';
import type { ProbeKind } from '@escapement/store';
import type { Healed, HealingStep } from './step.ts';

/**
 * Takes the steps one after the other; one that fails is told of and does not keep the others from being taken. Steps that a
 * probe at the ledger shows to be needless are left out: it is asked for what the steps look at. If the probe fails all are taken.
 */
export async function healAll(
  steps: readonly HealingStep[],
  probe: (kinds: readonly ProbeKind[]) => Promise<ReadonlySet<ProbeKind>>,
  onError: OnError,
): Promise<Healed> {
  const kinds = new Set(steps.flatMap(({ among }) => among ?? []));
  const seen = await probe([...kinds]).catch((error) => onError(error, { name: 'reconciler, probe' }));
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
