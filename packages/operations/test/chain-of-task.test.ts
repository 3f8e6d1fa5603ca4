import { actionOf, type By, DAY, systemClock } from '@escapement/core';
import { parseSelector } from '@escapement/core/rights';
import { findTask } from '@escapement/store';
import { by } from '@escapement/testkit';
import { testFleet } from '@escapement/testkit/fleet';
import { expect, it } from 'vitest';
import { chainOfTask, pauseTask, renameTask } from '../src/index.ts';

const fleet = await testFleet();
const { db } = fleet;
const labels = { team: 'shop' };
await fleet.save({ name: 'audit' });
await fleet.save({ name: 'mail', labels });
await fleet.save({ name: 'report', labels, then: [{ task: 'mail' }], onFailure: 'mail', onSkip: 'audit' });
await fleet.save({ name: 'import', labels, then: [{ task: 'report' }, { task: 'mail', when: 'failure' }] });
await fleet.save({ name: 'watch', onStart: 'import' });
await fleet.save({ name: 'alone', labels });

/** With names in place of ids. */
async function chainOf(name: string, who: By = by('root')) {
  const task = await findTask(db, name);
  if (!task) throw new Error(`there is no ${name}`);
  const { tasks, links, ...more } = await chainOfTask(db, task, { by: who, now: systemClock.now() });
  const nameOf = (id: string) => tasks.find((each) => each.id === id)?.name;
  return {
    ...more,
    tasks: tasks.map((each) => each.name).toSorted(),
    links: links.map(({ from, to, on }) => `${nameOf(from)} -> ${nameOf(to)}: ${on.join(', ')}`).toSorted(),
  };
}

it('has all that lead to a task, and all that follow it, with at what they are started', async () => {
  expect(await chainOf('report')).toEqual({
    tasks: ['audit', 'import', 'mail', 'report', 'watch'],
    links: [
      'import -> report: success',
      'report -> audit: onSkip',
      'report -> mail: success, onFailure',
      'watch -> import: onStart',
    ],
    ...{ hidden: 0, isCut: false },
  });
  expect((await chainOf('mail')).links).toContain('import -> mail: failure');
  expect(await chainOf('alone')).toEqual({ tasks: ['alone'], links: [], hidden: 0, isCut: false });
});

it('what somebody may not see is counted, and not named', async () => {
  const grant = { role: 'viewer', rights: [], namespace: db.namespace, selector: parseSelector('team=shop') } as const;
  const principal = { kind: 'token', id: 't', name: 't', address: '10.0.0.7' } as const;
  const viewer: By = { ...actionOf(principal), grants: [grant] };
  expect(await chainOf('report', viewer)).toMatchObject({ tasks: ['import', 'mail', 'report'], hidden: 2 });
});

it('a name that a task had before leads to it', async () => {
  await renameTask(db, 'mail', 'post', { by: by('root') });
  expect((await chainOf('report')).links).toContain('report -> post: success, onFailure');
});

it('says how each of them stands', async () => {
  const until = new Date(systemClock.now().getTime() + DAY);
  await pauseTask(db, 'audit', until, by('root'));
  const task = await findTask(db, 'report');
  const { tasks } = await chainOfTask(db, task ?? { name: '' }, { by: by('root'), now: systemClock.now() });
  expect(tasks.find(({ name }) => name === 'audit')?.state).toBe('paused');
});
