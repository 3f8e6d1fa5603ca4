import { createLeaseKeeper } from '@escapement/queue';
import { findRun } from '@escapement/store';
import { afterFile, aTask, finishedRun, runningRun } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { answerRequests } from './answering.ts';
import { cliDatabase, runCli, WHO } from './cli.ts';

const { db, env } = await cliDatabase();
answerRequests(db, env.REDIS_URL ?? '');
const run = (...args: string[]) => runCli(args, { env });
const json = async (...args: string[]) => JSON.parse((await run(...args, '-o', 'json')).stdout);

const keeper = createLeaseKeeper({
  redis: { url: env.REDIS_URL ?? '', namespace: 'default' },
  onError: () => undefined,
});
afterFile(() => keeper.close());

async function lease(key: string, runId: string, limit = 1): Promise<void> {
  const result = await keeper.acquire({ key, limit, runId, worker: 'worker-1', dispatch: 1 });
  if (!result.held) throw new Error('not leased');
}

test('show tells who holds a key, with slot and lease told apart', async () => {
  const id = await runningRun(db, 'report');
  expect((await run('keys', 'show', 'report')).stdout).toMatch(
    new RegExp(`^report +1 of 1 +running +${id} +report +worker-1 +\\S+Z +none +\\d+ +0 +no lease: Redis lost it`, 'm'),
  );
  await lease('report', id);
  expect((await run('keys', 'show', 'report')).stdout).toMatch(/ worker-1 +\S+Z +\d+(\.\d)? s +\d+ +0$/m);
  await lease('ghost', '01890000-0000-7000-8000-000000000000');
  expect((await run('keys', 'show', 'ghost')).stdout).toMatch(
    /^ghost +1 +leased .* a lease without a run in the ledger/m,
  );
});

test('list shows all keys that were in use, or those that are busy', async () => {
  await finishedRun(db, 'idle');
  await runningRun(db, 'busy');
  const keysOf = async (...args: string[]) =>
    (await json('keys', 'list', ...args)).slots.map(({ key, state }: { key: string; state: string }) => [key, state]);
  const all = await keysOf();
  expect(all).toContainEqual(['idle', 'free']);
  expect(all).toContainEqual(['busy', 'running']);
  expect(await keysOf('--busy')).not.toContainEqual(['idle', 'free']);
  expect((await run('keys', 'list', '--limit', '1')).stderr).toContain('only the first 1 slots');
});

test('release ends the run, deletes its lease, and is in the history of key and run', async () => {
  const id = await runningRun(db, 'hung');
  await lease('hung', id);
  const released = await json('keys', 'release', 'hung', '--reason', 'hangs since noon');
  expect(released).toEqual({
    key: 'hung',
    slot: 1,
    run: id,
    cancelled: true,
    fence: expect.stringMatching(/^\d+$/),
    leaseDeleted: true,
    woken: [],
  });
  expect(await findRun(db, id)).toMatchObject({
    state: 'cancelled',
    reason: expect.stringMatching(/"hung": hangs since noon$/),
  });
  expect((await json('keys', 'show', 'hung')).slots).toMatchObject([
    { state: 'free', lease: null, fence: released.fence },
  ]);
  expect((await run('keys', 'history', 'hung')).stdout).toMatch(
    new RegExp(`Z +release +${WHO} +1 +${id} +${released.fence} +hangs since noon$`, 'm'),
  );
  expect((await run('runs', 'show', id)).stdout).toMatch(
    new RegExp(` release by ${WHO} \\(key hung, slot 1, .*\\): hangs since noon`),
  );
});

test('a lease that is left over is deleted, and that is noted too', async () => {
  await lease('left-over', '01890000-0000-7000-8000-000000000001');
  const { stdout } = await run('keys', 'release', 'left-over', '--reason', 'restored from a snapshot');
  expect(stdout).toBe('key "left-over", slot 1: the lease of run 01890000-0000-7000-8000-000000000001 is deleted\n');
  expect(await json('keys', 'history', 'left-over')).toMatchObject({ entries: [{ action: 'release' }] });
});

test('of several held slots the one is released that is named', async () => {
  for (const [slot, run_] of ['a', 'b'].entries())
    await lease('wide', `01890000-0000-7000-8000-00000000000${run_}`, slot + 1);
  expect((await run('keys', 'release', 'wide', '--reason', 'x')).stderr).toMatch(
    /has 2 slots that are held\n.*--slot 1 \(run \S+a\), --slot 2 \(run \S+b\)/,
  );
  expect(await json('keys', 'release', 'wide', '--slot', '2', '--reason', 'x')).toMatchObject({
    slot: 2,
    leaseDeleted: true,
  });
  expect((await run('keys', 'release', 'wide', '--slot', '2', '--reason', 'x')).stderr).toContain('is free');
});

test('what cannot be released is refused with the reason', async () => {
  await aTask(db, 'unused');
  await finishedRun(db, 'free');
  const refused = async (...args: string[]) => {
    const { code, stdout, stderr } = await run('keys', ...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    return stderr;
  };
  const reason = ['--reason', 'x'];
  expect(await refused('release', 'free', ...reason)).toContain('key "free" is free');
  expect(await refused('release', 'unused', ...reason)).toContain('no run ever held a key "unused"');
  expect(await refused('show', 'unused')).toContain('no run ever held a key "unused"');
  expect(await refused('release', 'free')).toContain("required option '--reason <text>'");
  expect(await refused('release', 'free', '--reason', '')).toContain('--reason is empty');
  expect(await refused('release', 'a\0b', ...reason)).toContain('the key contains a NUL');
  expect(await refused('release', 'free', '--slot', '0', ...reason)).toContain('--slot is "0"');
  expect((await run('keys', 'history', 'unused')).stderr).toContain('nobody did anything');
});
