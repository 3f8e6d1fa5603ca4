import { readFileSync } from 'node:fs';
import { triggerTask } from '@escapement/operations';
import { listLeases } from '@escapement/queue';
import { by } from '@escapement/testkit';
import { testFleet } from '@escapement/testkit/fleet';
import { expect, it } from 'vitest';

// The user of a namespace, as the guide says: a fleet works with it, and reaches nothing of another namespace.
const read = (file: string) => readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8');
const [, rules = ''] = /^user NAME on >PASSWORD (.*)$/m.exec(read('docs/how-to/run-a-fleet.md')) ?? [];
const fleet = await testFleet({ redisRules: rules.replaceAll('NAME', 'default'), repeatableUpToMs: 10_000 });
const { db, queue, user } = fleet;

const succeeded = async (task: string) => (await fleet.runs(task)).filter(({ state }) => state === 'succeeded').length;

it('compose gives the user of the guide', () => {
  expect(rules).not.toBe('');
  expect(read('deploy/compose/redis.sh')).toContain(rules.replaceAll('NAME', '$'.concat('{namespace}')));
});

it('a fleet does all its work as that user', async () => {
  await fleet.save({ name: 'often', schedule: { kind: 'every', everyMs: 5000 }, overlap: 'allow' });
  await fleet.save({ name: 'many', overlap: 'wait-all' });
  await fleet.save({ name: 'fails', retry: { maxAttempts: 2, backoff: { kind: 'fixed', delayMs: 100 } } });
  await fleet.startWorker(async ({ run }) =>
    run.taskName === 'fails' && run.attempt === 1
      ? { status: 'failed', error: { name: 'Error', message: 'again' } }
      : { status: 'succeeded' },
  );
  await fleet.syncRepeatableJobs();
  await fleet.planner.runOnce();
  for (let made = 0; made < 15; made++) await triggerTask(db, 'many', { by: by('test') });
  await triggerTask(db, 'fails', { by: by('test') });
  await expect
    .poll(
      async () => {
        await fleet.dispatcher.runOnce();
        return [await succeeded('many'), await succeeded('fails')];
      },
      { timeout: 20_000 },
    )
    .toEqual([15, 1]);
  await expect.poll(() => succeeded('often'), { timeout: 20_000 }).toBeGreaterThan(0);
  await fleet.reconcile();
  await fleet.requests.runOnce();
  expect(await listLeases(fleet.connection)).toEqual(expect.any(Array));
  expect(Object.keys(await queue.counts(['default+shell']))).toEqual(['default+shell']);
  await queue.remove([{ runId: 'x', queue: 'default+shell', dispatch: 1 }]);
  expect(await user?.denied()).toEqual([]);
});

const THEIRS = 'esc:{default2:pool}:pool:wait';

it.each([
  ['GET', 'esc:{default2}:marker'],
  ['GET', 'esc:{other}:marker'],
  ['HGETALL', 'esc:{other:pool}:pool:r_1'],
  ['LRANGE', THEIRS, 0, -1],
  ['LPUSH', THEIRS, 'forged'],
  ['DEL', THEIRS],
  ['COPY', THEIRS, 'esc:{default:x}:x'],
  ['EVAL', `return redis.call('LPUSH', KEYS[1], 'forged')`, 1, THEIRS],
  ['EVAL', `return redis.call('LPUSH', '${THEIRS}', 'forged')`, 0],
  ['KEYS', '*'],
  ['RANDOMKEY'],
  ['FLUSHALL'],
  ['SCRIPT', 'FLUSH'],
  ['SCRIPT', 'KILL'],
  ['FUNCTION', 'FLUSH'],
  ['CONFIG', 'GET', 'masterauth'],
  ['CLIENT', 'LIST'],
  ['CLIENT', 'TRACKING', 'on', 'BCAST'],
  ['SUBSCRIBE', 'x'],
  ['PSUBSCRIBE', '__keyspace@0__:*'],
  ['PUBLISH', 'x', 'y'],
  ['MONITOR'],
  ['ACL', 'LIST'],
  ['SWAPDB', 0, 1],
] as const)('that user may not %s %s', async (command, ...args) => {
  await fleet.server.send('DEL', THEIRS);
  await fleet.server.send('RPUSH', THEIRS, 'theirs');
  await expect(user?.send(command, ...args)).rejects.toThrow(/NOPERM|can't access at least one of the keys/);
  expect(await fleet.server.send('LRANGE', THEIRS, 0, -1)).toEqual(['theirs']);
});
