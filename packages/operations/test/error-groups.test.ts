import { DAY, EscapementError, systemClock, type Verdict } from '@escapement/core';
import { auditEntries, readRequest, registerDeployment, writeHeartbeat } from '@escapement/store';
import { by, finishedRun, finishedRunOf } from '@escapement/testkit';
import { testFleet } from '@escapement/testkit/fleet';
import { expect, test } from 'vitest';
import {
  bulkState,
  changeErrorGroup,
  countRedrive,
  type FailureGroup,
  failureGroups,
  groupFailures,
  redriveGroup,
} from '../src/index.ts';

const fleet = await testFleet();
const { db } = fleet;
const ANN = by('ann', 'mended in 1.2');

function failing(message: string, file: string): Verdict {
  const stack = `Error: ${message}\n    at run (file:///srv/app/tasks/${file}:9:11)`;
  return { to: 'failed', reason: message, lost: false, uncounted: false, error: { name: 'Error', message, stack } };
}

const now = () => systemClock.now();
const asked = () => ({ since: new Date(now().getTime() - DAY) });
const groups = async (): Promise<FailureGroup[]> => (await failureGroups(db, asked(), now())).groups;

test('a thousand failures are three errors: how often, since when, of which tasks', async () => {
  await finishedRun(db, 'orders', failing('order 17 has no price', 'orders.ts'));
  const last = await finishedRunOf(db, 'orders', failing('order 18 has no price', 'orders.ts'));
  await finishedRun(db, 'prices', failing('order 19 has no price', 'orders.ts'));
  await finishedRun(db, 'mail', failing('connect ECONNREFUSED 10.0.0.1:25', 'mail.ts'));
  await finishedRun(db, 'backup');
  const [first, ...others] = await groups();
  expect(first).toMatchObject({
    ...{ name: 'Error', message: 'order # has no price', frame: 'run (app/tasks/orders.ts)' },
    ...{ count: 3, taskCount: 2, state: 'open', status: null, example: 'order 19 has no price' },
    tasks: [
      { name: 'orders', count: 2 },
      { name: 'prices', count: 1 },
    ],
  });
  expect(first?.hours.reduce((sum, { count }) => sum + count, 0)).toBe(3);
  expect(first?.lastRunId).not.toBe(last);
  expect(others.map(({ name, message, count }) => [name, message, count]).toSorted()).toEqual(
    [
      ['Error', 'connect ECONNREFUSED #', 1],
      [null, 'exit code #', 1],
    ].toSorted(),
  );
});

test('what is resolved and fails again is back; what is muted is so until then; each is in the audit', async () => {
  const [found] = await groups();
  const { fingerprint = '' } = found ?? {};
  const stateNow = async () => (await groups()).find((each) => each.fingerprint === fingerprint)?.state;
  await changeErrorGroup(db, fingerprint, { change: { kind: 'resolve' }, by: ANN });
  expect(await stateNow()).toBe('resolved');
  await finishedRunOf(db, 'orders', failing('order 20 has no price', 'orders.ts'));
  expect(await stateNow()).toBe('back');
  const untilAt = new Date(now().getTime() + DAY);
  await changeErrorGroup(db, fingerprint, { change: { kind: 'mute', untilAt }, by: ANN });
  expect(await stateNow()).toBe('muted');
  const { groups: later } = await failureGroups(db, asked(), new Date(untilAt.getTime() + 1));
  expect(later.find((each) => each.fingerprint === fingerprint)?.state).toBe('open');
  await changeErrorGroup(db, fingerprint, { change: { kind: 'reopen' }, by: ANN });
  expect(await stateNow()).toBe('open');
  const entries = await auditEntries(db, { error: fingerprint });
  expect(entries.map(({ action, reason }) => [action, reason])).toEqual([
    ['reopen', 'mended in 1.2'],
    ['mute', 'mended in 1.2'],
    ['resolve', 'mended in 1.2'],
  ]);
});

test('it is the same whether a scheduler has looked at the failures, at some or at none', async () => {
  const none = await groups();
  expect(await groupFailures(db, 2)).toBe(2);
  expect(await groups()).toEqual(none);
  while ((await groupFailures(db, 2)) > 0);
  expect(await groups()).toEqual(none);
  const { rows } = await db.pool.query('SELECT count(*)::integer AS count FROM failure WHERE fingerprint IS NOT NULL');
  expect(rows).toEqual([{ count: none.reduce((sum, { count }) => sum + count, 0) }]);
});

test('a group is as old as its first failure, also where that is not of the time that is asked for', async () => {
  const [found] = await groups();
  const same = ({ fingerprint }: FailureGroup) => fingerprint === found?.fingerprint;
  const { rows } = await db.pool.query<{ last: Date }>(
    'SELECT max(scheduled_for) AS last FROM failure WHERE fingerprint = $1',
    [found?.fingerprint],
  );
  const { groups: later } = await failureGroups(db, { since: rows[0]?.last ?? now() }, now());
  expect(later.find(same)).toMatchObject({ count: 1, firstSeenAt: found?.firstSeenAt });
  const newSince = new Date((found?.firstSeenAt.getTime() ?? 0) + 1);
  const { groups: fresh, total, ofAll } = await failureGroups(db, { ...asked(), newSince }, now());
  expect(fresh.map(({ fingerprint }) => fingerprint)).not.toContain(found?.fingerprint);
  expect([total, ofAll]).toEqual([fresh.length, (await groups()).length]);
});

test('who asks for one task, or may see one alone, is told of its failures alone', async () => {
  const { groups: ofPrices } = await failureGroups(db, { ...asked(), task: 'prices' }, now());
  expect(ofPrices).toMatchObject([{ count: 1, taskCount: 1, firstSeenAt: ofPrices[0]?.firstAt }]);
  expect((await groups())[0]?.firstSeenAt.getTime()).toBeLessThan(ofPrices[0]?.firstSeenAt.getTime() ?? 0);
});

/** The worker of all runs here is started again, with this code. */
async function deploy(release: string | null, tasks: readonly string[]): Promise<void> {
  await groupFailures(db, 100);
  await db.pool.query(`DELETE FROM process WHERE id = 'worker-1'`);
  const code = Object.fromEntries(tasks.map((name) => [name, 'print']));
  const print = `${release}-${tasks.join()}`;
  const deploymentId = await registerDeployment(db, {
    app: 'shop',
    release,
    fingerprint: print,
    whole: true,
    tasks: code,
  });
  const worker = { id: 'worker-1', role: 'worker', host: 'h', pid: 1, appVersion: '0', pools: ['default'] } as const;
  await writeHeartbeat(db, { ...worker, deploymentId }, { activeRuns: [], clockOffsetMs: 0 });
}

const releasesOf = async (task: string) =>
  (await failureGroups(db, { ...asked(), task }, now())).groups.map((each) => [each.firstRelease, each.releaseBefore]);

test('a group tells in which release it was first seen, and after which, also when its worker is long gone', async () => {
  await deploy('1.4.0', ['cart']);
  await deploy('1.4.1', ['cart']);
  await finishedRun(db, 'cart', failing('cart 1 is empty', 'cart.ts'));
  expect(await releasesOf('cart')).toEqual([['1.4.1', '1.4.0']]);
  await deploy('1.4.2', ['cart']);
  await finishedRunOf(db, 'cart', failing('cart 2 is empty', 'cart.ts'));
  expect(await releasesOf('cart')).toEqual([['1.4.1', '1.4.0']]);
  await db.pool.query(`DELETE FROM process WHERE id = 'worker-1'`);
  expect(await releasesOf('cart')).toEqual([['1.4.1', '1.4.0']]);
});

test('of no release is said what is not known: of a command beside the code, of code without a name, of the first release', async () => {
  await finishedRun(db, 'nobody', failing('nobody is there', 'nobody.ts'));
  await deploy('2.0', ['cart', 'later']);
  await finishedRun(db, 'beside', failing('beside it', 'beside.ts'));
  await deploy(null, ['cart', 'later', 'unnamed']);
  await finishedRun(db, 'unnamed', failing('who am I', 'unnamed.ts'));
  await deploy('2.1', ['later']);
  await finishedRun(db, 'later', failing('it is late', 'later.ts'));
  const all = () => Promise.all(['nobody', 'beside', 'unnamed', 'later'].map(releasesOf));
  const told = [[[null, null]], [[null, null]], [[null, null]], [['2.1', null]]];
  expect(await all()).toEqual(told);
  await groupFailures(db, 100);
  expect(await all()).toEqual(told);
});

test('at most so many are told, and only in the states that are asked for', async () => {
  const all = await groups();
  expect((await failureGroups(db, { ...asked(), limit: 1 }, now())).groups).toEqual(all.slice(0, 1));
  const { groups: resolved, total, ofAll } = await failureGroups(db, { ...asked(), states: ['resolved'] }, now());
  expect({ resolved, total, ofAll }).toEqual({ resolved: [], total: 0, ofAll: all.length });
});

test('a group is run again as one act', async () => {
  const [found] = await groups();
  const counted = () => countRedrive(db, found?.fingerprint ?? '', asked());
  expect(await counted()).toBe(4);
  const id = await redriveGroup(db, found?.fingerprint ?? '', asked(), ANN);
  const status = async () => {
    const request = await readRequest(db, id);
    return request && bulkState(request, now());
  };
  for (let pass = 0; pass < 10 && (await status())?.state !== 'done'; pass++) await fleet.requests.runOnce();
  expect(await status()).toMatchObject({ state: 'done', result: { total: 4, done: 4, refusedCount: 0 } });
  const { rows } = await db.pool.query<{ name: string; count: number }>(
    `SELECT t.name, count(*)::integer AS count FROM run r JOIN task t ON t.id = r.task_id WHERE r.rerun_of IS NOT NULL GROUP BY 1 ORDER BY 1`,
  );
  expect(rows).toEqual([
    { name: 'orders', count: 3 },
    { name: 'prices', count: 1 },
  ]);
  expect(await counted()).toBe(0);
  await expect(countRedrive(db, 'f'.repeat(16), asked())).rejects.toMatchObject({ code: 'unknown_error' });
  // What was run again is not run again once more.
  const again = await redriveGroup(db, found?.fingerprint ?? '', asked(), ANN);
  for (let pass = 0; pass < 10; pass++) await fleet.requests.runOnce();
  const { result } = (await readRequest(db, again)) ?? {};
  expect(result).toMatchObject({ answer: { total: 4, done: 0, passed: 4 } });
});

const codeOf = (asked: Promise<unknown>) =>
  asked.then(
    () => 'done',
    (error) => (error instanceof EscapementError ? error.code : error),
  );

test('what is no error is refused', async () => {
  expect(await codeOf(redriveGroup(db, 'ffffffffffffffff', asked(), ANN))).toBe('unknown_error');
  expect(await codeOf(changeErrorGroup(db, 'x', { change: { kind: 'resolve' }, by: ANN }))).toBe('unknown_error');
  const change = { kind: 'mute', untilAt: new Date(0) } as const;
  expect(await codeOf(changeErrorGroup(db, '0123456789abcdef', { change, by: ANN }))).toBe('bad_instant');
});

test('an error without a stack, as commands have it, is one of its task', async () => {
  const error = { name: 'Error', message: 'exited with code 9' };
  const verdict: Verdict = { to: 'failed', reason: error.message, lost: false, uncounted: false, error };
  await finishedRun(db, 'command', verdict);
  await finishedRun(db, 'other-command', verdict);
  const found = (await groups()).filter(({ message }) => message === 'exited with code #');
  expect(found.map(({ frame, tasks }) => [frame, tasks[0]?.name]).toSorted()).toEqual([
    [null, 'command'],
    [null, 'other-command'],
  ]);
});
