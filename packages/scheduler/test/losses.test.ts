import { randomUUID } from 'node:crypto';
import { triggerTask } from '@escapement/operations';
import { beginRuns, requestCancel } from '@escapement/store';
import { by } from '@escapement/testkit';
import { testFleet } from '@escapement/testkit/fleet';
import { expect, it } from 'vitest';

const fleet = await testFleet();

async function due(task: string): Promise<string> {
  return await triggerTask(fleet.db, task, { by: by('test') });
}

/** The runs at work on a worker that nobody has heard of since. */
async function lostWith(worker: string, ids: readonly string[]): Promise<void> {
  await begunOn(worker, ids);
  await fleet.reconcile();
}

async function begunOn(worker: string, ids: readonly string[]): Promise<void> {
  const { rows } = await fleet.db.pool.query<{ id: string; scheduled_for: Date; key: string; dispatch: number }>(
    'SELECT id, scheduled_for, key, dispatch FROM run WHERE id = ANY ($1)',
    [ids],
  );
  await fleet.db.pool.query('UPDATE run SET due_at = scheduled_for WHERE id = ANY ($1)', [ids]);
  const requests = rows.map((row) => ({
    runId: row.id,
    scheduledFor: row.scheduled_for,
    dispatch: row.dispatch + 1,
    beginId: randomUUID(),
    key: row.key,
    slot: 1,
    worker,
  }));
  const results = await beginRuns(fleet.db, requests);
  expect(results.map(({ kind }) => kind)).toEqual(ids.map(() => 'begun'));
}

async function only(task: string) {
  const [run] = await fleet.runs(task);
  if (!run) throw new Error('no run');
  return run;
}

it('quarantines who was alone on its workers at maxLost', async () => {
  await fleet.save({ name: 'alone', maxLost: 2 });
  const id = await due('alone');
  await lostWith('a1', [id]);
  expect(await only('alone')).toMatchObject({ state: 'retrying', lost: 1 });
  await lostWith('a2', [id]);
  expect(await only('alone')).toMatchObject({ state: 'quarantined', lost: 2 });
});

it('holds a common loss against nobody, until it is more than chance', async () => {
  await fleet.save({ name: 'poison', maxLost: 1 });
  await fleet.save({ name: 'neighbour', maxLost: 1 });
  const [poison, neighbour] = [await due('poison'), await due('neighbour')];
  await lostWith('b1', [poison, neighbour]);
  await lostWith('b2', [poison, neighbour]);
  for (const task of ['poison', 'neighbour'])
    expect(await only(task)).toMatchObject({ state: 'retrying', lost: 0, reason: 'lost its worker b2' });
  await fleet.save({ name: 'other', maxLost: 1 });
  await lostWith('b3', [poison, await due('other')]);
  expect(await only('poison')).toMatchObject({
    state: 'quarantined',
    reason: 'lost its worker 3 times (limit 3 where other runs were on it too), the last was b3',
  });
  expect(await only('neighbour')).toMatchObject({ state: 'retrying' });
  expect(await only('other')).toMatchObject({ state: 'retrying', lost: 0 });
});

it('knows the last run of a dead worker as one of many', async () => {
  await fleet.save({ name: 'first', maxLost: 1 });
  await fleet.save({ name: 'last', maxLost: 1 });
  await lostWith('c1', [await due('first'), await due('last')]);
  const late = await due('last');
  await fleet.db.pool.query(
    `UPDATE run SET state = 'cancelled', finished_at = now() WHERE id <> $1 AND state = 'retrying'`,
    [late],
  );
  await lostWith('c1', [late]);
  const runs = await fleet.runs('last');
  expect(runs.find(({ id }) => id === late)).toMatchObject({ state: 'retrying', lost: 0 });
});

it.each([
  { where: 'alone on its worker', others: 0, lost: 1 },
  { where: 'one of several', others: 1, lost: 0 },
])(
  'ends a run that was to be cancelled as that, and counts the loss as of any other: $where',
  async ({ others, lost }) => {
    const task = `cancelled-beside-${others}`;
    await fleet.save({ name: task, maxLost: 1 });
    await fleet.save({ name: `${task}-other`, maxLost: 1 });
    const id = await due(task);
    const beside = others === 0 ? [] : [await due(`${task}-other`)];
    await begunOn(`d${others}`, [id, ...beside]);
    await requestCancel(fleet.db, id, by('a person', 'no need'));
    await fleet.reconcile();
    expect(await only(task)).toMatchObject({ state: 'cancelled', lost });
  },
);
