import { expect, test } from 'vitest';
import { checkAll, firstViolations, INVARIANTS, type Verdict } from './chaos/checker/index.ts';
import { SCHEDULER_STEPS, type Step } from './chaos/scheduler-steps.ts';
import { setStage } from './kills/stage.ts';

// Whatever a scheduler is killed between, those that are left must heal. Here both are in one process; that a process which
// really dies is no different, test/end-to-end-processes.long.test.ts shows for some of the steps, and `npm run verify` for all.

const stage = await setStage();
const nameOf = ({ pass, name }: Step) => `${pass}-${name}`.toLowerCase().replace('.', '-');

test('what a killed scheduler leaves does not heal by itself', async () => {
  const planRuns = SCHEDULER_STEPS.find(({ name }) => name === 'planRuns');
  if (!planRuns) throw new Error('the planner has no such step any more');
  await stage.killAfterStep(planRuns, 'control');
  expect(await stage.amiss()).toContainEqual(expect.stringContaining('is queued and has no job'));
});

test.each(SCHEDULER_STEPS)(
  'a scheduler killed after $pass $name leaves nothing that another one does not heal',
  async (step) => {
    await stage.killAfterStep(step, nameOf(step));
    expect(await stage.heal()).toEqual([]);
  },
);

/** What has nothing to do with the time that healing takes, nor with processes. */
const JUDGED = ['I1', 'I2', 'I2b', 'I3', 'I4', 'I4b', 'I5', 'I6b', 'I7', 'I8', 'I12'];
let verdicts: Verdict[] | undefined;

test.each(INVARIANTS.filter(({ id }) => JUDGED.includes(id)))('$id: $title', async (invariant) => {
  verdicts ??= checkAll(await stage.evidence());
  expect(firstViolations(verdicts, invariant)).toEqual([]);
});
