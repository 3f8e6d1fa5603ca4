import type { Labels } from '@escapement/core/rights';
import { planTask, saveTask } from '@escapement/operations';
import { auditEntries, dueTasks, planRuns } from '@escapement/store';
import { by } from '@escapement/testkit';
import { halfway } from '@escapement/testkit/fleet';
import { beforeEach, expect, test } from 'vitest';
import { answerRequests } from './answering.ts';
import { cliDatabase, runCli, WHO } from './cli.ts';

const { db, env } = await cliDatabase();
answerRequests(db, env.REDIS_URL ?? '');
const run = (...args: string[]) => runCli(['recovery', ...args], { env });
const HOUR = 3_600_000;

/** A task that has misfired occurrences of the last three hours, held. */
async function holding(name: string, labels: Labels): Promise<void> {
  await saveTask(
    db,
    {
      name,
      labels,
      schedule: halfway(HOUR),
      handler: { type: 'shell', command: 'true' },
      catchUp: 'ask',
    },
    { source: 'cli', by: by('test') },
  );
  await db.pool.query(
    `WITH t AS (UPDATE task SET effective_at = now() - interval '1 day' WHERE name = $1 RETURNING id)
     UPDATE task_plan SET next_run_at = next_run_at - interval '4 hours' FROM t WHERE task_id = t.id`,
    [name],
  );
  const { tasks, now } = await dueTasks(db, { horizonMs: 0, limit: 100 });
  for (const task of tasks) {
    const plan = now && planTask(task, now, { horizonMs: 0, repeatable: { fromMs: 0, toMs: 0 } });
    if (plan) await planRuns(db, [plan.move], plan.rows);
  }
}

const rows = async (name: string) =>
  (
    await db.pool.query(
      `SELECT r.state, r.reason, r.overlap, r.requested_by, r.due_at FROM run r JOIN task t ON t.id = r.task_id
       WHERE t.name = $1 ORDER BY r.scheduled_for`,
      [name],
    )
  ).rows;
const states = async (name: string) => (await rows(name)).map(({ state }) => state);

beforeEach(async () => {
  await db.pool.query('DELETE FROM run');
  await holding('ledger-close', { team: 'books' });
  await holding('mail', { team: 'shop' });
});

test('what is held is listed by task', async () => {
  const { stdout } = await run('list');
  expect(stdout).toMatch(/^TASK +HELD +OLDEST +NEWEST\n/);
  expect(stdout).toMatch(/^ledger-close +[34] +\d{4}-.* \(.* ago\) +\d{4}/m);
  expect(JSON.parse((await run('list', '--task', 'mail', '-o', 'json')).stdout)).toMatchObject([{ task: 'mail' }]);
  expect((await run('list', '--task', 'mial')).stderr).toContain('did you mean mail?');
});

test('what is released runs in its turn, at the rate, and the rows say who asked', async () => {
  expect((await run('run', '--yes', '--task', 'mail', '--rate', '6/m')).stdout).toMatch(/^[34] runs released\n$/);
  const released = await rows('mail');
  expect(new Set(released.map(({ state, overlap }) => `${state} ${overlap}`))).toEqual(new Set(['planned wait-all']));
  expect(released[0].requested_by).toMatch(new RegExp(WHO));
  const gaps = released.slice(1).map(({ due_at }, index) => due_at - released[index].due_at);
  expect(new Set(gaps)).toEqual(new Set([10_000]));
  expect(new Set(await states('ledger-close'))).toEqual(new Set(['held']));
});

test('labels choose whose runs are listed, released and dropped', async () => {
  const listed = JSON.parse((await run('list', '-l', 'team=shop', '-o', 'json')).stdout);
  expect(listed).toMatchObject([{ task: 'mail' }]);
  expect((await run('run', '-l', 'team=shop', '--dry-run')).stderr).toMatch(/^[34] runs would be released/);
  expect((await run('run', '--yes', '-l', 'team=shop')).stdout).toMatch(/^[34] runs released\n$/);
  expect([new Set(await states('mail')), new Set(await states('ledger-close'))]).toEqual([
    new Set(['planned']),
    new Set(['held']),
  ]);
  expect((await run('drop', '--yes', '-l', 'team=books', '--latest-only')).stdout).toBe('1 run dropped\n');
  expect(await run('drop', '--yes', '-l', 'team=none')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('no task has the labels team=none'),
  });
});

test('who let a run go or dropped it, and why, is kept with the run', async () => {
  await run('run', '--yes', '--task', 'mail', '--reason', 'provider is back');
  await run('drop', '--yes', '--task', 'ledger-close', '--reason', 'closed by hand');
  const { rows: runs } = await db.pool.query<{ id: string; name: string }>(
    'SELECT r.id, t.name FROM run r JOIN task t ON t.id = r.task_id',
  );
  const entries = await Promise.all(
    runs.map(async ({ id, name }) => ({ name, did: await auditEntries(db, { run: id }) })),
  );
  const said = entries.map(({ name, did }) => `${name}: ${did.map(({ action, reason }) => `${action}, ${reason}`)}`);
  expect(new Set(said)).toEqual(
    new Set(['mail: recovery run, provider is back', 'ledger-close: recovery drop, closed by hand']),
  );
  expect(entries[0]?.did[0]?.principal.name).toMatch(new RegExp(WHO));
});

test('the newest of each task is released alone, the older ones are missed', async () => {
  expect((await run('run', '--yes', '--latest-only')).stdout).toMatch(/^2 runs released, [4-6] older dropped\n$/);
  const all = await states('mail');
  expect(all.at(-1)).toBe('planned');
  expect(new Set(all.slice(0, -1))).toEqual(new Set(['missed']));
  expect((await rows('mail'))[0].reason).toMatch(
    new RegExp(`^dropped by ${WHO}: only the newest misfired one is run$`),
  );
});

test('what is dropped is missed, with who and why', async () => {
  expect((await run('drop', '--yes', '--task', 'mail', '--reason', 'sent by hand')).stdout).toMatch(
    /^[34] runs dropped\n$/,
  );
  expect((await rows('mail'))[0]).toMatchObject({
    state: 'missed',
    reason: expect.stringMatching(/^dropped by .*: sent by hand$/),
  });
  expect((await run('drop', '--yes', '--task', 'mail')).stdout).toBe('0 runs dropped\n');
  expect((await run('list', '--task', 'mail')).stderr).toContain('nothing is held');
});

test('tasks are let go in the order that is asked for, which is seen beforehand; the others come after them', async () => {
  await holding('archive', { team: 'books' });
  const names = async (...order: string[]) => {
    const { stdout } = await run('run', '--dry-run', '--latest-only', '-o', 'json', ...order);
    return JSON.parse(stdout).first.map(({ taskName }: { taskName: string }) => taskName);
  };
  expect(await names('--order', 'mail,ledger-close')).toEqual(['mail', 'ledger-close', 'archive']);
  expect(await names('--order', 'archive', '--order', 'mail')).toEqual(['archive', 'mail', 'ledger-close']);
  await run('run', '--yes', '--latest-only', '--order', 'mail, archive', '--rate', '6/m');
  const due = await Promise.all(
    ['mail', 'archive', 'ledger-close'].map(async (name) => (await rows(name)).at(-1)?.due_at.getTime()),
  );
  expect(due.map((at) => at - due[0])).toEqual([0, 10_000, 20_000]);
});

test.each([
  ['mail,mial', 'did you mean mail?'],
  ['mail,,archive', '--order has an empty name'],
  ['mail,mail', '--order has mail twice'],
  [Array.from({ length: 1001 }, (_, index) => `task-${index}`).join(','), '--order has 1001 tasks'],
])('the order %.20s is refused', async (order, words) => {
  expect(await run('run', '--yes', '--order', order)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(words),
  });
  expect(new Set(await states('mail'))).toEqual(new Set(['held']));
});

test.each(['0', 'fast', '5/w', '-1'])('the rate %s is refused', async (rate) => {
  expect(await run('run', `--rate=${rate}`)).toMatchObject({ code: 2, stderr: expect.stringContaining('10/m') });
});
