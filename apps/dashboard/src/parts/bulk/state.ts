import type { components } from '../../api/generated/openapi.ts';

export type BulkRequest = components['schemas']['BulkRequest'];
export type BulkCounts = NonNullable<BulkRequest['counts']>;

export function isOver({ state }: Pick<BulkRequest, 'state'>): boolean {
  return state === 'done' || state === 'cancelled' || state === 'failed';
}

/** With how many of them nothing is to be done any more. */
export function behind({ done, dropped, passed, refusedCount }: BulkCounts): number {
  return done + dropped + passed + refusedCount;
}

/** How much of it is behind, from 0 to 100. */
export function percentOf(counts: BulkCounts): number {
  return counts.total === 0 ? 100 : Math.round((100 * behind(counts)) / counts.total);
}
