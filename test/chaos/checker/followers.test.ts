import { expect, test } from 'vitest';
import { followedOnce } from './followers.ts';
import { healthyEvidence, runAt } from './healthy.ts';

test('each run that succeeded is followed by one run, not by two', () => {
  const evidence = healthyEvidence();
  evidence.tasks = evidence.tasks.map((task) => (task.name === 'mail' ? { ...task, followedBy: 'after' } : task));
  const followers = evidence.runs
    .filter(({ task, state }) => task === 'mail' && state === 'succeeded')
    .map((run) => ({ ...run, id: `after ${run.id}`, task: 'after', causeId: run.id }));
  evidence.runs.push(...followers);
  expect(followedOnce.check(evidence).violations).toEqual([]);
  const third = runAt(evidence, 'mail', 3).id;
  evidence.runs.push(...followers.filter(({ causeId }) => causeId === third));
  expect(followedOnce.check(evidence).violations).toEqual([
    `mail run ${third} has succeeded, and is followed by 2 runs`,
  ]);
});
