import type { By } from './principal.ts';

/** How a person may resolve a run that is `unknown`; `rerun` ends it as failed and makes a new one. */
export const RESOLUTIONS = ['succeeded', 'failed', 'rerun'] as const;

export type Resolution = (typeof RESOLUTIONS)[number];

/** What the reason of a row begins with whose end a person has told, whenever they did. */
export const RESOLVED = 'resolved ';

/** How a resolution is worded in the ledger. */
export function resolvedReason(as: Resolution, { principal, reason }: By, rerunId?: string): string {
  return `${RESOLVED}${rerunId === undefined ? `as ${as}` : `by rerun ${rerunId}`} by ${principal.name}${reason ? `: ${reason}` : ''}`;
}

/** How long the last attempt of a run took, in milliseconds; null: it has not ended, or a person told its end, whenever that was. */
export function tookMs(run: { startedAt: Date | null; finishedAt: Date | null; reason: string | null }): number | null {
  const { startedAt, finishedAt, reason } = run;
  if (!startedAt || !finishedAt || reason?.startsWith(RESOLVED)) return null;
  return finishedAt.getTime() - startedAt.getTime();
}
