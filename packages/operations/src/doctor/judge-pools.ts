import { counted } from '@escapement/core';
import { type PoolView, poolPauseWords } from '../pools.ts';
import type { WaitsForWorker } from '../unserved.ts';
import { type Finding, problem, warning } from './finding.ts';

/** Judges pools by what people said about them: a pause, workers that are missing. */
export function judgePools(pools: readonly PoolView[]): Finding[] {
  return pools.flatMap((pool) => [...judgePause(pool), ...judgeExpected(pool)]);
}

function judgePause({ name, pause, waiting }: PoolView): Finding[] {
  if (!pause) return [];
  return [
    warning(
      'Pools',
      `the pool "${name}" is ${poolPauseWords(pause)}; ${counted(waiting, 'run')} due and not begun`,
      `\`escapement pools resume ${name}\` ends the pause`,
    ),
  ];
}

function judgeExpected({ name, expectedWorkers, workers }: PoolView): Finding[] {
  if (expectedWorkers === null || workers.length >= expectedWorkers) return [];
  return [
    problem(
      'Workers',
      `the pool "${name}" has ${workers.length} of ${counted(expectedWorkers, 'expected worker')} alive`,
      `start more with ESCAPEMENT_POOLS=${name}, or say what is right: \`escapement pools set ${name} --expected-workers\``,
    ),
  ];
}

/** Judges what tasks need that no living worker has. */
export function judgeUnserved(unserved: readonly WaitsForWorker[]): Finding[] {
  return unserved.map(({ reason, advice, tasks, examples }) => {
    const more = tasks > examples.length ? ', ...' : '';
    return problem(
      'Workers',
      `${reason}: ${counted(tasks, 'task waits', 'tasks wait')} (${examples.join(', ')}${more})`,
      advice,
    );
  });
}
