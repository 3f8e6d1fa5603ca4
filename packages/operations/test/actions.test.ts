import { HOUR, systemClock } from '@escapement/core';
import { auditEntries, findRun, findTask, workLists } from '@escapement/store';
import { by } from '@escapement/testkit';
import { testFleet } from '@escapement/testkit/fleet';
import { expect, test } from 'vitest';
import {
  addToList,
  cancelRun,
  deleteCalendar,
  deleteTask,
  dropList,
  dropPendingChange,
  dropTaskState,
  pauseTask,
  rerunRun,
  resolveRun,
  resumeTask,
  saveCalendar,
  saveTask,
  setTaskState,
  skipOccurrences,
  triggerTask,
} from '../src/index.ts';

const fleet = await testFleet();
const { db } = fleet;
const ANN = by('ann@desk', 'stocktaking');
const said = async (subject: Parameters<typeof auditEntries>[1]) =>
  (await auditEntries(db, subject)).map(({ principal, action, reason }) => `${action} by ${principal.name}: ${reason}`);
const refusal = async (asked: Promise<unknown>) =>
  await asked.then(
    () => 'done',
    ({ code }) => code,
  );

test('who paused, resumed and deleted a task, and why, is kept', async () => {
  await fleet.save({ name: 'report', schedule: { kind: 'every', everyMs: 60_000 } });
  await pauseTask(db, 'report', null, ANN);
  expect((await findTask(db, 'report'))?.pauses).toMatchObject([{ createdBy: 'ann@desk', note: 'stocktaking' }]);
  expect(await resumeTask(db, 'report', by('bob'))).toBe(1);
  expect(await resumeTask(db, 'report', by('bob'))).toBe(0);
  expect(await skipOccurrences(db, 'report', 2, by('cid'))).toHaveLength(2);
  const effectiveAt = new Date(systemClock.now().getTime() + HOUR);
  await saveTask(
    db,
    { name: 'report', handler: { type: 'shell', command: 'true' } },
    { source: 'cli', by: ANN, effectiveAt },
  );
  expect(await dropPendingChange(db, 'report', ANN)).toBe(true);
  expect(await dropPendingChange(db, 'report', ANN)).toBe(false);
  await deleteTask(db, 'report', ANN);
  expect(await said({ task: 'report' })).toEqual([
    'delete by ann@desk: stocktaking',
    'drop pending change by ann@desk: stocktaking',
    'save for later by ann@desk: stocktaking',
    'pause by cid: the next 2 occurrences skipped',
    'resume by bob: null',
    'pause by ann@desk: stocktaking',
    'save by test: null',
  ]);
});

test('who added to a list and dropped it, and who deleted a calendar, is kept', async () => {
  await addToList(
    db,
    'numbers',
    Array.from({ length: 3 }, (_, index) => index),
    ANN,
  );
  expect(await workLists(db)).toMatchObject([{ name: 'numbers', waiting: 3 }]);
  expect(await dropList(db, 'numbers', by('bob'))).toEqual({ dropped: 3, taken: 0 });
  expect(await said({ list: 'numbers' })).toEqual(['drop by bob: null', 'add by ann@desk: stocktaking']);
  await saveCalendar(db, 'nights', { timeZone: 'UTC', entries: [{ hours: ['0-6'] }] }, ANN);
  await deleteCalendar(db, 'nights', ANN);
  expect(await said({ calendar: 'nights' })).toEqual([
    'delete by ann@desk: stocktaking',
    'save by ann@desk: stocktaking',
  ]);
});

test('a run is cancelled and run again, each by whom and why', async () => {
  await fleet.save({ name: 'import' });
  const id = await triggerTask(db, 'import', { by: ANN });
  expect(await cancelRun(db, id.toUpperCase(), ANN)).toMatchObject({ kind: 'cancelled', run: { id } });
  expect((await findRun(db, id))?.reason).toBe('cancelled by ann@desk before it started: stocktaking');
  const { rerunId } = await rerunRun(db, id, by('bob'));
  expect(await findRun(db, rerunId)).toMatchObject({ rerunOf: id, requestedBy: 'bob' });
  expect(await said({ run: id })).toEqual(['rerun by bob: null', 'cancel by ann@desk: stocktaking']);
});

test('an act that cannot be done is refused by its code, and changes nothing', async () => {
  await fleet.save({ name: 'mail' });
  const id = await triggerTask(db, 'mail', { by: ANN });
  const past = new Date(systemClock.now().getTime() - HOUR);
  const none = '019b0000-0000-7000-8000-000000000001';
  expect(await refusal(cancelRun(db, 'x', ANN))).toBe('bad_run_id');
  expect(await refusal(cancelRun(db, none, ANN))).toBe('unknown_run');
  expect(await refusal(rerunRun(db, id, ANN))).toBe('run_open');
  expect(await refusal(resolveRun(db, id, 'failed', ANN))).toBe('run_not_unknown');
  expect(await refusal(resolveRun(db, id, 'failed', by('ann')))).toBe('no_reason');
  expect(await refusal(pauseTask(db, 'mail', past, ANN))).toBe('bad_instant');
  expect(await refusal(skipOccurrences(db, 'mail', 1, ANN))).toBe('too_few_occurrences');
  expect(await refusal(setTaskState(db, { task: 'mail', key: undefined }, 1, ANN))).toBe('no_state');
  expect(await refusal(setTaskState(db, { task: 'mail', key: undefined }, 1, by('ann')))).toBe('no_reason');
  expect(await refusal(dropTaskState(db, { task: 'mail', key: undefined }, ANN))).toBe('no_state');
  expect(await refusal(addToList(db, 'a b', [1], ANN))).toBe('bad_list_name');
  expect(await refusal(dropList(db, 'nothing', ANN))).toBe('unknown_list');
  const unknown = [
    () => pauseTask(db, 'mial', null, ANN),
    () => resumeTask(db, 'mial', ANN),
    () => skipOccurrences(db, 'mial', 1, ANN),
    () => deleteTask(db, 'mial', ANN),
    () => triggerTask(db, 'mial', { by: ANN }),
  ];
  for (const asked of unknown)
    await expect(asked()).rejects.toMatchObject({ code: 'unknown_task', fix: 'did you mean mail?' });
  await cancelRun(db, id, ANN);
  expect(await refusal(cancelRun(db, id, ANN))).toBe('run_ended');
  expect(await said({ run: id })).toEqual(['cancel by ann@desk: stocktaking']);
});
