import type { Handler } from '@escapement/core';
import { triggerTask } from '@escapement/operations';
import { by } from '@escapement/testkit';
import { testFleet } from '@escapement/testkit/fleet';
import { expect, it } from 'vitest';

const RUNS = 30;

const fleet = await testFleet();
/** The tasks at work on the key at the moment, and the sets of them that ever were at work together. */
const inside: string[] = [];
const together = new Set<string>();
const handler: Handler = async ({ run }) => {
  inside.push(run.taskName);
  together.add([...inside].sort().join(' '));
  await new Promise((resolve) => setImmediate(resolve));
  inside.splice(inside.indexOf(run.taskName), 1);
  return { status: 'succeeded' };
};
await fleet.startWorker(handler);
await fleet.startWorker(handler);

it('lets no run join one whose task gives their key a smaller limit, though their templates differ (I5)', {
  timeout: 60_000,
}, async () => {
  await fleet.save({ name: 'narrow', key: 'k:{{payload.x}}', overlap: 'wait-all', payload: { x: 1 } });
  await fleet.save({ name: 'wide', key: 'k:1', limit: 2, overlap: 'wait-all' });
  for (let made = 0; made < RUNS; made++)
    for (const task of made % 3 === 0 ? ['narrow', 'wide'] : ['wide'])
      await triggerTask(fleet.db, task, { by: by('ann') });
  await fleet.dispatcher.runOnce();
  while ((await open()) > 0) {
    await fleet.db.pool.query(`UPDATE cluster_lock SET taken_at = '-infinity'`);
    await fleet.reconciler.runOnce();
  }
  expect([...together].filter((names) => names.includes('narrow'))).toEqual(['narrow']);
});

async function open(): Promise<number> {
  const runs = [...(await fleet.runs('narrow')), ...(await fleet.runs('wide'))];
  return runs.filter(({ state }) => state !== 'succeeded').length;
}
