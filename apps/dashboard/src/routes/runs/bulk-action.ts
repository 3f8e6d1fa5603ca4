import type { components } from '../../api/generated/openapi.ts';
import type { Resolution } from '../../parts/resolution-field.tsx';

/** What can be done to the runs of a filter, and the right that it needs. */
export const RIGHTS = { cancel: 'cancel', redrive: 'rerun', rerun: 'rerun', resolve: 'rerun' } as const;

export type Action = keyof typeof RIGHTS;

export const ACTIONS = ['cancel', 'redrive', 'rerun', 'resolve'] as const satisfies readonly Action[];

/** As the API takes it. `as`: with `resolve`, what became of them. */
export function bulkAction(action: Action, query: string, as: Resolution): components['schemas']['BulkAction'] {
  if (action === 'resolve') return { action, query, as };
  return action === 'rerun' ? { action, query, sameVersion: false } : { action, query };
}
