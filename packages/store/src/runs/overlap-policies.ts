import { IN_TURN, type OverlapRules, overlapsWith } from '@escapement/core';

/** The policies whose rules pass a test, as a list of SQL for IN: `('wait-all', 'replace')`. */
function listOf(test: (rules: OverlapRules) => boolean): string {
  return `(${overlapsWith(test)
    .map((name) => `'${name}'`)
    .join(', ')})`;
}

/** Runs of these begin in an order. */
export const ORDERED = listOf(({ ordering }) => ordering !== 'none');
/** The earliest goes first, and the others wait for it. */
export const OLDEST_FIRST = listOf(({ ordering }) => ordering === 'oldest-first');
/** The newest goes first, and the others are skipped. */
export const NEWEST_FIRST = listOf(({ ordering }) => ordering === 'newest-first');
/** Who finds the key busy asks the run at work to stop. */
export const REPLACING = listOf(({ onBusy }) => onBusy === 'replace');
const SKIPPING = listOf(({ onBusy, takesSlot }) => takesSlot && onBusy === 'skip');
export const WITHOUT_SLOT = listOf(({ takesSlot }) => !takesSlot);

/** The policy of a run that must not be skipped by the runs it comes with; `overlap`: its task's. */
export const inTurn = (overlap: string): string =>
  `CASE WHEN ${overlap} IN ${WITHOUT_SLOT} THEN ${overlap} ELSE '${IN_TURN}' END`;

/** The policy of a run that must not be lost, where its task's would skip it. */
export const notSkipped = (overlap: string): string =>
  `CASE WHEN ${overlap} IN ${SKIPPING} THEN '${IN_TURN}' ELSE ${overlap} END`;
