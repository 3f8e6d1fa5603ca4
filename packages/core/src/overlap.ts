import { z } from 'zod';
import { DAY } from './clock.ts';

const longestWait = z
  .int()
  .min(1)
  .max(30 * DAY);

const overlapPolicies = z.discriminatedUnion('policy', [
  z.strictObject({
    policy: z.literal('skip'),
    /** Wait so long for the key first, in milliseconds, looked at each second. Default 0: skip at once. */
    skipAfterMs: z.int().min(0).max(DAY).optional(),
  }),
  /** The first run that comes waits; others that come while it does are skipped. */
  z.strictObject({ policy: z.literal('wait-one') }),
  /** All wait and run in the order of their due times, one after the other. */
  z.strictObject({
    policy: z.literal('wait-all'),
    /** A run that finds so many waiting is skipped. Default 1000. */
    maxWaiting: z.int().min(1).max(100_000).optional(),
    /** A run that has waited so long is skipped, in milliseconds, looked at each second. Default: it waits as long as it takes. */
    maxWaitMs: longestWait.optional(),
  }),
  /** The run at work is asked to stop; the newest one takes its place once it is over. */
  z.strictObject({ policy: z.literal('replace') }),
  /** Runs side by side; takes no slot of the key. */
  z.strictObject({ policy: z.literal('allow') }),
]);

/** What a run does whose key is busy: a policy with its options, or its name alone. */
export const overlapPolicy = z.preprocess(
  (value: z.input<typeof overlapPolicies> | z.input<typeof overlapPolicies>['policy']) =>
    typeof value === 'string' ? { policy: value } : value,
  overlapPolicies,
);

export type OverlapPolicy = z.output<typeof overlapPolicy>;
export type OverlapName = OverlapPolicy['policy'];

/** What the policies differ in. No other code asks for a policy by its name. */
export interface OverlapRules {
  /** Whether its runs take a slot of the key; else they run side by side, and are never busy. */
  takesSlot: boolean;
  /**
   * Which run of the key begins first, of those with this ordering that are due and have not begun: the earliest, and the
   * others wait for it; the newest, and the others are skipped; or who comes first.
   */
  ordering: 'none' | 'oldest-first' | 'newest-first';
  /** What a run does that finds its key busy; `replace`: it asks the run at work to stop, and waits. */
  onBusy: 'skip' | 'wait' | 'replace';
  /** So many may wait for the key already, unless the task says otherwise; undefined: any number. */
  maxWaiting: number | undefined;
}

/**
 * The rules of each policy. The database has their names in the function overlap_policies, in two CHECKs and in the index
 * run_ordered; a test compares them with this table.
 */
export const OVERLAP_RULES: { readonly [Name in OverlapName]: OverlapRules } = {
  skip: { takesSlot: true, ordering: 'none', onBusy: 'skip', maxWaiting: 0 },
  'wait-one': { takesSlot: true, ordering: 'none', onBusy: 'wait', maxWaiting: 1 },
  'wait-all': { takesSlot: true, ordering: 'oldest-first', onBusy: 'wait', maxWaiting: 1000 },
  replace: { takesSlot: true, ordering: 'newest-first', onBusy: 'replace', maxWaiting: undefined },
  allow: { takesSlot: false, ordering: 'none', onBusy: 'skip', maxWaiting: 0 },
};

/** The policy of a run that those it comes with must not skip, where its own one takes a slot. */
export const IN_TURN: OverlapName = 'wait-all';

/** The policies whose rules pass a test, in the order of the table. */
export function overlapsWith(test: (rules: OverlapRules) => boolean): OverlapName[] {
  return overlapPolicies.options.map(({ shape }) => shape.policy.value).filter((name) => test(OVERLAP_RULES[name]));
}

/** What a run whose key is busy does: waits, unless so many wait already, and no longer than this. Undefined: no bound. */
export interface WaitBounds {
  maxWaiting?: number | undefined;
  maxWaitMs?: number | undefined;
}

/**
 * How a run waits under its policy. Overlap is a matter of the row, which may have been made under another policy than the
 * task's own (a catch-up of all occurrences waits in any case): it then has that policy's defaults.
 */
export function waitBounds(policy: OverlapName, declared?: OverlapPolicy): WaitBounds {
  const { maxWaiting } = OVERLAP_RULES[policy];
  if (declared?.policy !== policy) return { maxWaiting };
  // Who waits for a time is not kept from it by those that wait already.
  if ('skipAfterMs' in declared && declared.skipAfterMs) return { maxWaitMs: declared.skipAfterMs };
  return { maxWaiting, ...boundsOf(declared) };
}

function boundsOf(declared: OverlapPolicy): WaitBounds {
  return {
    ...('maxWaiting' in declared && declared.maxWaiting !== undefined ? { maxWaiting: declared.maxWaiting } : {}),
    ...('maxWaitMs' in declared ? { maxWaitMs: declared.maxWaitMs } : {}),
  };
}
