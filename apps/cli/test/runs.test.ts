import { newRunId, systemClock } from '@escapement/core';
import { findTask, triggerRun } from '@escapement/store';
import { aTask, by, finishedRun, finishedRunOf, runningRun } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { cliDatabase, folder, runCli } from './cli.ts';

const { db, env } = await cliDatabase();
const run = (...args: string[]) => runCli(args, { env });

/** A run that is due in an hour, or so. */
async function plannedRun(name: string, inMs = 3_600_000): Promise<string> {
  await aTask(db, name);
  const scheduledFor = new Date(systemClock.now().getTime() + inMs);
  const id = newRunId(scheduledFor);
  const taskId = (await findTask(db, name))?.id ?? '';
  await triggerRun(db, { id, scheduledFor, taskId, origin: 'trigger', key: name, payload: undefined, by: by('test') });
  return id;
}

test('a query says which runs, with the words of the options', async () => {
  await aTask(db, 'query-a');
  const failed = await finishedRunOf(db, 'query-a', {
    ...{ to: 'failed', reason: 'it failed', lost: false, uncounted: false },
    error: { name: 'Error', message: 'connect ETIMEDOUT' },
  });
  const succeeded = await finishedRun(db, 'query-b', { to: 'succeeded', reason: null, lost: false, uncounted: false });
  const found = async (...query: string[]) => {
    const { stdout } = await run('runs', 'list', ...query, '-o', 'json');
    return JSON.parse(stdout).map(({ id }: { id: string }) => id);
  };
  expect((await found('task:query-*')).toSorted()).toEqual([failed, succeeded].toSorted());
  expect(await found('task:query-*', 'state:failed')).toEqual([failed]);
  expect(await found('task:query-a,query-b state:succeeded')).toEqual([succeeded]);
  expect(await found('task:query-*', 'error:etimedout')).toEqual([failed]);
  expect(await found('task:query-a', 'error:"no such words"')).toEqual([]);
  expect(await found('task:query-a', 'until:-1d')).toEqual([]);
  expect(await found('task:query-*', '--state', 'succeeded')).toEqual([succeeded]);
});

test('a query that cannot be read is shown with its place', async () => {
  expect(await run('runs', 'list', 'task:x stat:failed')).toMatchObject({
    code: 2,
    stderr:
      'error: runs have no field "stat" (character 8)\n  task:x stat:failed\n         ^^^^\n  did you mean state?\n',
  });
  expect((await run('runs', 'list', 'state:failed', '--state', 'queued')).stderr).toContain(
    'both state: and --state are given',
  );
  expect((await run('runs', 'list', 'task:nobody-of-this-name')).stderr).toContain('nobody-of-this-name');
});

test('the list begins with what has happened; --planned adds what is to come', async () => {
  const ended = await finishedRun(db, 'report');
  const planned = await plannedRun('report');
  const list = (...more: string[]) => run('runs', 'list', '--task', 'report', ...more);
  const past = (await list()).stdout;
  expect(past).toContain(ended);
  expect(past).not.toContain(planned);
  expect((await list('--planned')).stdout).toContain(planned);
  expect((await list('--state', 'planned')).stdout).toContain(planned);
});

test('the list is bounded by key and by origin', async () => {
  const id = await finishedRun(db, 'keyed');
  expect((await run('runs', 'list', '--key', 'keyed', '--origin', 'trigger')).stdout).toContain(id);
  expect((await run('runs', 'list', '--key', 'keyed', '--origin', 'schedule')).stderr).toContain('no run matches');
  expect((await run('runs', 'list', '--origin', 'trigered')).stderr).toContain('trigger');
});

test('a run is found by the first digits of its id, and several that begin so are named', async () => {
  const one = await finishedRun(db, 'short');
  const other = await finishedRunOf(db, 'short');
  const shown = await run('runs', 'show', one.slice(0, 30));
  expect(shown.stdout).toContain(one);
  const both = await run('runs', 'show', one.slice(0, 7));
  expect(both.code).not.toBe(0);
  expect(both.stderr).toContain('several runs begin with');
  expect(both.stderr).toContain('give more digits');
  expect((await run('runs', 'rerun', other.slice(0, 30), '--reason', 'again')).code).toBe(0);
  expect((await run('runs', 'show', 'abc')).stderr).toContain('at least 6');
});

test('the last run of a task is shown without its id', async () => {
  const first = await finishedRun(db, 'latest');
  const last = await finishedRunOf(db, 'latest');
  const shown = await run('runs', 'show', '--task', 'latest', '--last');
  expect(shown.stdout).toContain(last);
  expect(shown.stdout).not.toContain(first);
  expect((await run('runs', 'logs', '--task', 'latest')).code).toBe(0);
  expect((await run('runs', 'show')).stderr).toContain('no run is named');
  await aTask(db, 'idle');
  expect((await run('runs', 'logs', '--task', 'idle')).stderr).toContain('no run of "idle" has begun yet');
});

test('a list that is followed tells of what comes', async () => {
  const first = await finishedRun(db, 'followed');
  const stop = new AbortController();
  let begin = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const followed = runCli(['runs', 'list', '--task', 'followed', '--follow'], {
    env,
    signal: stop.signal,
    onWrite: (written) => {
      if (written.includes(first)) begin();
      if (written.trimEnd().split('\n').length > 1) stop.abort();
    },
  });
  await begun;
  const second = await finishedRunOf(db, 'followed');
  expect((await followed).stdout).toContain(second);
});

test('a list that is followed tells of each run that ends, however many do within a second and whatever the limit', async () => {
  const first = await finishedRun(db, 'crowd');
  const old = await plannedRun('old', -3_600_000);
  const stop = new AbortController();
  let begin = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const expected = new Set<string>();
  const followed = runCli(['runs', 'list', '--follow', '--limit', '1', '--state', 'failed,skipped'], {
    env,
    signal: stop.signal,
    onWrite: (written) => {
      if (written.includes(first)) begin();
      if ([...expected].every((id) => written.includes(id)) && expected.size > 0) stop.abort();
    },
  });
  await begun;
  const ids: string[] = [old];
  for (let index = 0; index < 10; index++) ids.push(await finishedRunOf(db, 'crowd'));
  await db.pool.query(`UPDATE run SET state = 'skipped', reason = 'x', finished_at = clock_timestamp() WHERE id = $1`, [
    old,
  ]);
  for (const id of ids) expected.add(id);
  const { stdout } = await followed;
  for (const id of ids) expect(stdout.split(id)).toHaveLength(2);
});

test('a payload comes from a file or from standard input', async () => {
  await aTask(db, 'fed');
  const { write } = await folder();
  const file = await write('payload.json', '{"from":"file"}');
  const payloadOf = async (stdout: string) => {
    const shown = await run('runs', 'show', stdout.replace(/^run /, '').trim(), '-o', 'json');
    return JSON.parse(shown.stdout).payload;
  };
  const { stdout } = await run('tasks', 'trigger', 'fed', '--payload-file', file);
  expect(await payloadOf(stdout)).toEqual({ from: 'file' });
  const piped = await runCli(['tasks', 'trigger', 'fed', '--payload-file', '-'], { env, input: '{"from":"stdin"}' });
  expect(await payloadOf(piped.stdout)).toEqual({ from: 'stdin' });
  expect((await run('tasks', 'trigger', 'fed', '--payload-file', '/none.json')).stderr).toContain('cannot be read');
});

test('a run is watched until its end, and its end is the exit code', async () => {
  const failed = await finishedRun(db, 'watched');
  const watched = await run('runs', 'watch', failed);
  expect(watched.code).toBe(1);
  expect(watched.stderr).toContain('failed: exit code 3');
});

test('the fleet at a glance says what runs, what failed, and that nobody is there to run more', async () => {
  const running = await runningRun(db, 'at-work');
  const failed = await finishedRun(db, 'broken');
  const { stdout, code } = await run('top');
  expect(code).toBe(0);
  expect(stdout).toContain('0 schedulers: nothing is planned, 0 workers: nothing is run');
  expect(stdout).toContain(running);
  expect(stdout).toContain(failed);
});
