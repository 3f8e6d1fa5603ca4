import type { components } from '../../api/generated/openapi.ts';
import type { Resolution } from '../../parts/resolution-field.tsx';

/** What can be done to the runs of a filter, and the right that it needs. */
export const RIGHTS = { cancel: 'cancel', redrive: 'rerun', rerun: 'rerun', resolve: 'rerun' } as const;

export type Act = keyof typeof RIGHTS;

export const ACTS = ['cancel', 'redrive', 'rerun', 'resolve'] as const satisfies readonly Act[];

/** As the API takes it. `as`: with `resolve`, what became of them. */
export function bulkAct(act: Act, query: string, as: Resolution): components['schemas']['BulkAct'] {
  if (act === 'resolve') return { act, query, as };
  return act === 'rerun' ? { act, query, sameVersion: false } : { act, query };
}
