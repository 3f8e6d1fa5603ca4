import { newRunId } from '@escapement/core';
import { saveTask } from '@escapement/operations';
import { dueOutboxEntries, findRun, findTask, makeFollowers, rerunRun } from '@escapement/store';
import { aTask, by, finishedRun, finishedRunOf } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { cliDatabase, runCli } from './cli.ts';

const { db, env } = await cliDatabase();
const run = (...args: string[]) => runCli(args, { env });

await aTask(db, 'report');
await saveTask(
  db,
  {
    name: 'import',
    handler: { type: 'shell', command: 'true' },
    then: [{ task: 'report', when: 'always' }],
    labels: { team: 'import' },
  },
  { source: 'cli', by: by('test') },
);

/** Makes what follows a run, as a worker does. */
async function makeFollower(cause: string, task: string): Promise<string> {
  const note = (await dueOutboxEntries(db, { olderThanMs: 0, limit: 100 })).find((each) => each.run?.id === cause);
  const target = await findTask(db, task);
  if (!note || !target) throw new Error('nothing noted');
  const id = newRunId(note.notedAt);
  await makeFollowers(
    db,
    [{ noteId: note.id, error: null, retryInMs: null }],
    [
      {
        noteId: note.id,
        id,
        scheduledFor: note.notedAt,
        task: { id: target.id, version: target.version },
        origin: 'chain',
        key: task,
        payload: 1,
        ordinal: 1000,
        depth: 1,
        traceparent: null,
        state: 'planned',
        reason: null,
      },
    ],
  );
  return id;
}

const ended = await finishedRunOf(db, 'import');
const follower = await makeFollower(ended, 'report');

test('runs tree shows cause and effect from any run of it, with what is still to be done', async () => {
  const retried = await rerunRun(db, ended, by('me'));
  const rerun = retried.kind === 'made' ? retried.rerunId : '';
  await db.pool.query(
    `INSERT INTO followers_outbox (namespace, run_id, scheduled_for, task_id, event, tries, error, given_up_at)
     SELECT namespace, id, scheduled_for, task_id, 'chain', 12, 'there is no task "gone"', now() FROM run WHERE id = $1`,
    [follower],
  );
  const { code, stdout } = await run('runs', 'tree', follower);
  expect(code).toBe(0);
  const lines = stdout.trimEnd().split('\n');
  expect(lines).toEqual([
    expect.stringMatching(new RegExp(`^import failed \\(exit code 3\\), started \\S+, took .*, ${ended}$`)),
    expect.stringMatching(new RegExp(`^├─ chain: report planned, due \\S+, ${follower}  <-$`)),
    expect.stringMatching(
      /^│ {2}└─ what its handler chained could not be started, 12 tries, given up \S+: there is no task "gone"$/,
    ),
    expect.stringMatching(new RegExp(`^└─ rerun: import planned, due \\S+, ${rerun}$`)),
  ]);
  const tree = JSON.parse((await run('runs', 'tree', rerun, '-o', 'json')).stdout);
  expect(tree).toMatchObject({
    id: ended,
    children: [
      { id: follower, followersOutbox: [{ event: 'chain', tries: 12 }] },
      { id: rerun, rerunOf: ended },
    ],
  });
});

test('a token sees no name and no reason of a run whose task is not its own', async () => {
  const made = await run('tokens', 'create', 'import', '--role', 'viewer', '--scope', 'team=import');
  const scoped = { ...env, ESCAPEMENT_TOKEN: made.stdout.trim() };
  for (const command of ['tree', 'show']) {
    const { code, stdout } = await runCli(['runs', command, ended, '-o', 'json'], { env: scoped });
    expect([code, stdout]).toEqual([0, expect.stringContaining('(a task you may not see)')]);
    expect(stdout).not.toContain('"taskName": "report"');
    expect(stdout).toContain('"taskName": "import"');
  }
});

test('runs show names the cause, and what follows', async () => {
  expect((await run('runs', 'show', follower)).stdout).toMatch(new RegExp(`^caused by: +run ${ended}$`, 'm'));
  expect((await run('runs', 'show', ended)).stdout).toContain(`followed by:\n  chain: report planned, ${follower}\n`);
  expect((await findRun(db, follower))?.causeRunId).toBe(ended);
});

test('what is not listed of many is counted', async () => {
  const parent = await finishedRun(db, 'parent');
  await db.pool.query(
    `INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, key, key_limit, overlap, pool, due_at, cause_run_id)
     SELECT gen_random_uuid(), scheduled_for, namespace, task_id, task_version, plan_epoch, 'chain', 'queued', key, 1, overlap, pool, due_at, id
     FROM run CROSS JOIN generate_series(1, 60) WHERE id = $1`,
    [parent],
  );
  const lines = (await run('runs', 'tree', parent)).stdout.trimEnd().split('\n');
  expect(lines).toHaveLength(52);
  expect(lines.at(-1)).toBe('└─ and more: 10 queued');
});

test('tasks show says of a task that a run has decided about when it is due, and by which', async () => {
  const id = await finishedRun(db, 'decides');
  const pause = (until: string | null) =>
    db.pool.query(
      `INSERT INTO task_pause (task_id, from_at, until_at, note, created_by, run_id)
       SELECT task_id, now(), $2::timestamptz + interval '1 ms', 'said', 'run', id FROM run WHERE id = $1`,
      [id, until],
    );
  await pause('2100-01-01T00:00:00Z');
  const { stdout } = await run('tasks', 'show', 'decides');
  expect(stdout).toMatch(/^next run: +2100-01-01 00:00/m);
  expect(stdout).toMatch(new RegExp(`^state: +active, its next run decided by run ${id}$`, 'm'));
  await db.pool.query(`DELETE FROM task_pause`);
  await pause(null);
  expect((await run('tasks', 'show', 'decides')).stdout).toMatch(/^next run: +none$/m);
  expect((await run('tasks', 'list')).stdout).toContain(`finished, as decided by run ${id}`);
});

test('the tree of a run that is not there', async () => {
  expect(await run('runs', 'tree', '019b0000-0000-7000-8000-000000000001')).toMatchObject({ code: 2 });
});
