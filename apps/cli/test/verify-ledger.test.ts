import { saveTask } from '@escapement/operations';
import { by } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { cliDatabase, runCli } from './cli.ts';

const { db, env } = await cliDatabase();
const run = (...args: string[]) => runCli(args, { env });

test('a fleet that planned nothing has gaps, each named, and exit code 1', async () => {
  expect(await run('verify-ledger')).toMatchObject({ code: 0, stderr: expect.stringContaining('no gap: 0 tasks') });
  const task = { name: 'report', labels: { team: 'books' }, handler: { type: 'shell' as const, command: 'true' } };
  await saveTask(db, { ...task, schedule: { kind: 'every', everyMs: 60_000 } }, { source: 'cli', by: by('test') });
  await db.pool.query(`UPDATE task_version SET effective_at = now() - interval '10 minutes'`);
  const { code, stdout, stderr } = await run('verify-ledger', '--from', '5m');
  expect(code).toBe(1);
  expect(stdout).toMatch(/^missing +report +\d{4}-/m);
  expect(stderr).toMatch(/^[45] gaps, 0 late or still to come: 1 task, [45] occurrences due, 0 rows/);
  for (const [labels, tasks, exit] of [
    ['team=books', 1, 1],
    ['team=shop', 0, 0],
  ] as const)
    expect(await run('verify-ledger', '--from', '5m', '-l', labels)).toMatchObject({
      code: exit,
      stderr: expect.stringContaining(`: ${tasks} task`),
    });
  const { ok, findings } = JSON.parse((await run('verify-ledger', '--from', '5m', '-o', 'json')).stdout);
  expect(ok).toBe(false);
  expect(findings[0]).toMatchObject({ kind: 'missing', task: 'report', runId: null });
});

test('a time that is not over for long enough, and a task that is not there, are told', async () => {
  for (const from of ['now', '2100-01-01'])
    expect(await run('verify-ledger', '--from', from), from).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('nothing can be verified'),
    });
  expect(await run('verify-ledger', '--task', 'nope')).toMatchObject({ code: 2 });
});
