import { groupedBy } from '@escapement/core';
import type { Evidence, Move } from '../evidence.ts';
import { at, type Invariant } from './invariant.ts';

export const fencesGrow: Invariant = {
  id: 'I3',
  title: 'fences grow per key and slot; none commits once a newer one has begun',
  check(evidence) {
    const slots = groupedBy(slotMoves(evidence), (move) => `${move.key} slot ${move.slot}`);
    const violations = [...slots].flatMap(([slot, moves]) => checkSlot(slot, moves));
    const starts = evidence.moves.filter(isStart).length;
    return { figures: `${starts} starts on ${slots.size} slots`, violations };
  },
};

function slotMoves({ moves }: Evidence): Move[] {
  return moves.filter((move) => move.slot !== null && (isStart(move) || move.from === 'running'));
}

export function isStart({ from, to }: Pick<Move, 'from' | 'to'>): boolean {
  return to === 'running' && from !== 'running';
}

function checkSlot(slot: string, moves: readonly Move[]): string[] {
  const violations: string[] = [];
  let newest = 0;
  for (const move of moves) {
    const fence = move.fence ?? 0;
    if (isStart(move)) {
      if (fence <= newest)
        violations.push(`${slot}: run ${move.runId} began under fence ${fence} after ${newest}, at ${at(move.atMs)}`);
      newest = Math.max(newest, fence);
    } else if (fence !== newest)
      violations.push(`${slot}: run ${move.runId} became ${move.to} under fence ${fence}, newest was ${newest}`);
  }
  return violations;
}
