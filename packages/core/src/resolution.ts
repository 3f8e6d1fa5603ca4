/** How a person may resolve a run that is `unknown`; `rerun` ends it as failed and makes a new one. */
export const RESOLUTIONS = ['succeeded', 'failed', 'rerun'] as const;

export type Resolution = (typeof RESOLUTIONS)[number];

/** How a resolution is worded in the ledger. */
export function resolvedReason(
  as: Resolution,
  { who, note, rerunId }: { who: string; note: string; rerunId?: string },
) {
  return `resolved ${rerunId === undefined ? `as ${as}` : `by re-run ${rerunId}`} by ${who}: ${note}`;
}
