import { scheduledForOf } from '@escapement/core';
import { findRun, openAlerts } from '@escapement/store';
import { by, finishedRun, finishedRunOf } from '@escapement/testkit';
import { testFleet } from '@escapement/testkit/fleet';
import { expect, test } from 'vitest';
import { cancelRun, describeRun, rerunRun, triggerTask } from '../src/index.ts';

const { db, save } = await testFleet();
const ANN = by('ann@desk', 'the shop is back');

async function described(id: string) {
  const run = await findRun(db, id);
  if (!run) throw new Error(`no run ${id}`);
  return await describeRun(db, ANN, run, { deadMs: 10_000 });
}

test('a run of which there is nothing more has nothing more', async () => {
  const { marks, attempts, audit, batches, followers, followersOutbox, heldBack, rate } = await described(
    await finishedRun(db, 'plain'),
  );
  expect({ marks, attempts, audit, batches, followers, followersOutbox }).toEqual({
    ...{ marks: [], attempts: [], audit: [], batches: [], followers: [], followersOutbox: [] },
  });
  expect([heldBack, rate]).toEqual([null, null]);
});

test('the marks of rules are there, and those of other runs are not', async () => {
  const [id, other] = [await finishedRun(db, 'marked'), await finishedRun(db, 'unmarked')];
  const mark = { id, scheduledFor: scheduledForOf(id), rule: 'rows', detail: 'no rows' };
  await openAlerts(db, [], { marks: [mark] });
  expect((await described(id)).marks).toEqual([{ rule: 'rows', detail: 'no rows' }]);
  expect((await described(other)).marks).toEqual([]);
});

test('what people did, and the run that repeats it, are there', async () => {
  await save({ name: 'import', schedule: { kind: 'manual' } });
  const id = await finishedRunOf(db, 'import');
  const { rerunId } = await rerunRun(db, id, ANN, { sameVersion: false });
  const { audit, followers } = await described(id);
  expect(audit.map(({ action, reason }) => [action, reason])).toEqual([['rerun', 'the shop is back']]);
  expect(followers.map((run) => run.id)).toEqual([rerunId]);
});

test('a run that no worker can take says so until it is cancelled', async () => {
  await save({ name: 'lonely', schedule: { kind: 'manual' }, pool: 'nobody' });
  const id = await triggerTask(db, 'lonely', { by: ANN });
  expect((await described(id)).heldBack?.code).toBe('unserved');
  await cancelRun(db, id, ANN);
  expect((await described(id)).heldBack).toBeNull();
});
