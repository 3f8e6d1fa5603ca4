import { groupedBy } from '@escapement/core';
import type { Evidence, LedgerRun } from '../evidence.ts';
import { deadline } from './deadline.ts';
import type { Invariant } from './invariant.ts';

export const followedOnce: Invariant = {
  id: 'I15',
  title: 'what is to follow a run that succeeded does so once, and nothing else does',
  check(evidence) {
    const tasks = new Map(evidence.tasks.map((task) => [task.name, task]));
    const byCause = groupedBy(evidence.runs, ({ causeId }) => causeId ?? '');
    const caused = evidence.runs.filter(({ causeId }) => causeId !== null);
    const runs = new Map(evidence.runs.map((run) => [run.id, run]));
    const strays = caused.filter(({ task, causeId }) => {
      const cause = runs.get(causeId ?? '');
      return cause?.state !== 'succeeded' || tasks.get(cause.task)?.followedBy !== task;
    });
    const wrong = evidence.runs.flatMap((run) => {
      const follower = tasks.get(run.task)?.followedBy;
      return follower === undefined ? [] : wrongCount(run, byCause.get(run.id)?.length ?? 0, evidence);
    });
    const violations = [
      ...wrong,
      ...strays.map((run) => `${run.task} run ${run.id} follows run ${run.causeId}, and should not`),
    ];
    return { figures: `${caused.length} runs followed others`, violations };
  },
};

/** What ended shortly before the stop is followed in the next fleet. */
function wrongCount(run: LedgerRun, count: number, evidence: Evidence): string[] {
  const { moves, workersStopMs } = evidence;
  const end =
    run.state === 'succeeded' ? moves.find(({ runId, to }) => runId === run.id && to === 'succeeded') : undefined;
  if (!end || count === 1) return [];
  if (count === 0 && deadline(end.atMs, evidence) >= workersStopMs) return [];
  return [`${run.task} run ${run.id} has succeeded, and is followed by ${count} runs`];
}
