import { newRunId, systemClock } from '@escapement/core';
import { triggerTask } from '@escapement/operations';
import { listLeases } from '@escapement/queue';
import { requestCancel } from '@escapement/store';
import { by } from '@escapement/testkit';
import { testFleet } from '@escapement/testkit/fleet';
import { expect, it } from 'vitest';
import { deadLeasesStep, findDeadLeases } from '../src/reconciler/dead-leases.ts';

const fleet = await testFleet();
await fleet.save({ name: 'any', overlap: 'allow' });
const { heal } = deadLeasesStep({ db: fleet.db, leases: fleet.connection });

const lease = (key: string, runId: string) =>
  fleet.server.send('SET', `esc:{default:${key}}:lease:1`, `${runId} 1 w 2026-01-01T00:00:00.000Z`, 'PX', 600_000);

const keys = async () => (await listLeases(fleet.connection)).map(({ key }) => key);

it('the lease of a run that is over, or that is not there, is ended; that of an open run is left alone', async () => {
  const open = await triggerTask(fleet.db, 'any', { by: by('test') });
  const over = await triggerTask(fleet.db, 'any', { by: by('test') });
  await requestCancel(fleet.db, over, by('test'));
  await lease('open', open);
  await lease('over', over);
  await lease('unknown', newRunId(systemClock.now()));
  const dead = await findDeadLeases(fleet.db, await listLeases(fleet.connection));
  expect(dead.map(({ key }) => key).sort()).toEqual(['over', 'unknown']);
  expect(await heal()).toEqual({ counts: { dead_lease: 2 }, more: false });
  expect(await keys()).toEqual(['open']);
  expect(await heal()).toEqual({ counts: { dead_lease: 0 }, more: false });
});

it('a pass looks at some thousands of keys, and the next goes on behind them', async () => {
  const others = Array.from({ length: 12_000 }, (_, index) => [`other:${index}`, '1']).flat();
  await fleet.server.send('MSET', ...others);
  const runId = newRunId(systemClock.now());
  for (let made = 0; made < 200; made++) await lease(`gone-${made}`, runId);
  const ended: number[] = [];
  for (let pass = 0; pass < 6; pass++) ended.push((await heal()).counts.dead_lease ?? 0);
  // A pass reads some 4,000 of 12,000 keys: the first finds about a third.
  expect(ended[0]).toBeGreaterThan(35);
  expect(ended[0]).toBeLessThan(165);
  expect(ended.reduce((sum, each) => sum + each, 0)).toBe(200);
  expect(await keys()).toEqual(['open']);
});

it('the only lease that there is is ended, too', async () => {
  await fleet.server.send('FLUSHDB');
  await lease('gone', newRunId(systemClock.now()));
  expect(await heal()).toEqual({ counts: { dead_lease: 1 }, more: false });
  expect(await keys()).toEqual([]);
});

it('a pass reads some 5,000 keys', async () => {
  await fleet.server.send('FLUSHDB');
  const many = `for i = 1, 9000 do redis.call('SET', 'esc:{default:many-' .. i .. '}:lease:1', ARGV[1], 'PX', 600000) end`;
  await fleet.server.send('EVAL', many, 0, `${newRunId(systemClock.now())} 1 w 2026-01-01T00:00:00.000Z`);
  const { heal: pass } = deadLeasesStep({ db: fleet.db, leases: fleet.connection });
  const ended = (await pass()).counts.dead_lease ?? 0;
  expect(ended).toBeGreaterThan(4500);
  expect(ended).toBeLessThan(5500);
});
