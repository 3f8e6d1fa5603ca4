import { formatSpan } from '@escapement/core';
import type { RunOutput } from '../../../output/run-output.ts';
import type { OnHandlerEvent } from '../../event.ts';
import { SETTLE_LIMIT_MS } from '../protocol.ts';
import type { Leftovers } from './baseline.ts';

/** What which run has left. */
export interface LeftBy {
  run: string;
  task: string;
  left: Leftovers;
}

export type OnLeft = (by: LeftBy, output: Pick<RunOutput, 'note'>) => void;

/** Tasks beyond these are told of again. */
const MAX_KNOWN = 1000;
/** Things that a line names. */
const MAX_NAMED = 10;

/** Says in the log of the run, and to the worker, what was left behind: the same of a task once. */
export function createReportOnce(onEvent: OnHandlerEvent): OnLeft {
  const reported = new Set<string>();
  return ({ run, task, left: { fate, owned, what } }, output) => {
    const named = [...new Set(what)].slice(0, MAX_NAMED);
    const known = `${task} ${fate} ${named.map((words) => words.replace(/ \(\d+ times\)$/, '')).join(', ')}`;
    if (reported.has(known)) return;
    if (reported.size >= MAX_KNOWN) reported.clear();
    reported.add(known);
    const then = wordsOf({ fate, owned });
    output.note(`this run leaves in its process: ${named.join(', ')}; ${then}. This is said once`);
    onEvent({ event: 'leftovers', run, task, what: named, then });
  };
}

function wordsOf({ fate, owned }: Pick<Leftovers, 'fate' | 'owned'>): string {
  if (fate === 'spent') return 'no other run comes into it';
  const alone = owned ? 'it serves this task alone from now on' : '';
  if (fate === 'kept') return alone;
  const waits = `the next run comes into it once that has ended, within ${formatSpan(SETTLE_LIMIT_MS)}`;
  return owned ? `${waits}, and ${alone}` : waits;
}
