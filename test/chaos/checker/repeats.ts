import { groupedBy } from '@escapement/core';
import type { Move } from '../evidence.ts';
import { isStart } from './fences.ts';
import { at, type Invariant } from './invariant.ts';

/** A call whose reply was lost is made again, a job is delivered twice, a task is planned twice: all of it counts once. */
export const repeatsChangeNothing: Invariant = {
  id: 'I8',
  title: 'what is repeated changes nothing: each attempt begins once and ends once',
  check({ moves, faults }) {
    const repeated = faults.reduce((sum, fault) => sum + (fault.repeated?.length ?? 0), 0);
    const attempts = groupedBy(moves, ({ runId, attempt }) => `run ${runId} attempt ${attempt}`);
    return {
      figures: `${attempts.size} attempts, ${repeated} repetitions injected`,
      violations: [...attempts].flatMap(([attempt, own]) => [
        ...moreThanOne(own.filter(isStart)).map((move) => `${attempt} began again at ${at(move.atMs)}`),
        ...moreThanOne(own.filter(isEnd)).map((move) => `${attempt} became ${move.to} as well, at ${at(move.atMs)}`),
      ]),
    };
  },
};

function isEnd({ from, to }: Move): boolean {
  return from === 'running' && to !== 'running';
}

function moreThanOne(moves: readonly Move[]): readonly Move[] {
  return moves.slice(1);
}
