import { findTask } from '@escapement/store';
import { by } from '@escapement/testkit';
import { testFleet } from '@escapement/testkit/fleet';
import { expect, it } from 'vitest';
import { deleteTask, saveTask } from '../src/index.ts';

const fleet = await testFleet();
await fleet.save({ name: 'report' });
await fleet.save({ name: 'alert', then: [{ task: 'report' }] });

it('a task that names one that is not there is refused, with the nearest', async () => {
  await expect(fleet.save({ name: 'import', onFailure: 'alrt' })).rejects.toMatchObject({
    code: 'unknown_task',
    message: 'task import: onFailure names "alrt", and there is no such task',
    fix: 'did you mean alert?',
  });
  expect(await findTask(fleet.db, 'import')).toBeNull();
});

it('a circle is refused, over then and lifecycle alike, and named', async () => {
  await fleet.save({ name: 'import', onFailure: 'alert' });
  await expect(fleet.save({ name: 'report', then: [{ task: 'import' }] })).rejects.toMatchObject({
    code: 'follow_cycle',
    message: 'runs of task report would follow themselves: report -> import -> alert -> report',
  });
  await expect(fleet.save({ name: 'self', onFinish: 'self' })).rejects.toMatchObject({ code: 'follow_cycle' });
});

it('a change for later is checked when it is asked for', async () => {
  const change = saveTask(
    fleet.db,
    { name: 'report', handler: { type: 'shell', command: 'true' }, onSkip: 'gone' },
    { source: 'test', by: by('me'), effectiveAt: new Date('2100-01-01') },
  );
  await expect(change).rejects.toMatchObject({ code: 'unknown_task' });
});

it('a task that others name is not deleted', async () => {
  await expect(deleteTask(fleet.db, 'report', by('test'))).rejects.toMatchObject({
    code: 'task_is_named',
    message: 'task report is to follow runs of alert (then.0)',
  });
  await deleteTask(fleet.db, 'import', by('test'));
  await deleteTask(fleet.db, 'alert', by('test'));
  await deleteTask(fleet.db, 'report', by('test'));
});
