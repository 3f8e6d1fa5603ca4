import type { By } from './principal.ts';

/** How a person may resolve a run that is `unknown`; `rerun` ends it as failed and makes a new one. */
export const RESOLUTIONS = ['succeeded', 'failed', 'rerun'] as const;

export type Resolution = (typeof RESOLUTIONS)[number];

/** How a resolution is worded in the ledger. */
export function resolvedReason(as: Resolution, { principal, reason }: By, rerunId?: string): string {
  return `resolved ${rerunId === undefined ? `as ${as}` : `by re-run ${rerunId}`} by ${principal.name}${reason ? `: ${reason}` : ''}`;
}
