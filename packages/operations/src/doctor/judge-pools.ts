import { counted, MINUTE } from '@escapement/core';
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

/** So long the runs of a pool whose workers are started when there is something to do may have been due. */
const TO_START_MS = 1 * MINUTE;

/** Judges what tasks need that no living worker has. A pool that need have no worker may have none while it has nothing to do. */
export function judgeUnserved(
  unserved: readonly WaitsForWorker[],
  { pools, now }: { pools: readonly PoolView[]; now: Date },
): Finding[] {
  const atZero = new Set(pools.filter((pool) => isAtZero(pool, now)).map(({ name }) => name));
  return unserved.filter(({ pool }) => !atZero.has(pool)).map(judgeOneUnserved);
}

function isAtZero({ expectedWorkers, workers, oldestDueAt }: PoolView, now: Date): boolean {
  if (expectedWorkers !== 0 || workers.length > 0) return false;
  return oldestDueAt === null || now.getTime() - oldestDueAt.getTime() <= TO_START_MS;
}

function judgeOneUnserved({ reason, advice, tasks, examples }: WaitsForWorker): Finding {
  const more = tasks > examples.length ? ', ...' : '';
  const waits = `${counted(tasks, 'task waits', 'tasks wait')} (${examples.join(', ')}${more})`;
  return problem('Workers', `${reason}: ${waits}`, advice);
}
