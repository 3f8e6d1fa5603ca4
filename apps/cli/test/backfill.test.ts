import { saveTask } from '@escapement/operations';
import { by } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { cliDatabase, runCli } from './cli.ts';

const { db, env } = await cliDatabase();
const run = (...args: string[]) => runCli(args, { env });

await saveTask(
  db,
  {
    name: 'report',
    handler: { type: 'shell', command: 'true' },
    schedule: { kind: 'cron', expression: '0 3 * * *', timeZone: 'UTC' },
  },
  { source: 'cli', by: by('test') },
);
const WEEK = ['--from', '2026-03-01T00:00:00Z', '--to', '2026-03-07T23:00:00Z'];

test('a dry run says what would be run and does nothing', async () => {
  const { stdout } = await run('backfill', 'report', ...WEEK, '--dry-run', '--reverse');
  expect(stdout).toMatch(/^7 occurrences in no row, 0 to be run again, 0 left as they are\n {2}2026-03-07T03:00:00Z\n/);
  expect((await run('backfill', 'list')).stderr).toContain('there are no backfills');
});

test('a backfill is started, listed, stopped and resumed', async () => {
  const { stdout: id, stderr } = await run('backfill', 'report', ...WEEK, '--concurrency', '2');
  expect(stderr).toContain('7 occurrences in no row');
  expect((await run('backfill', 'list')).stdout).toMatch(new RegExp(`${id.trim()} +report .* running `));
  expect(await run('backfill', 'stop', id.trim().slice(0, 8))).toMatchObject({ code: 0 });
  expect(await run('backfill', 'stop', id.trim())).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('stopped'),
  });
  expect(await run('backfill', 'resume', id.trim())).toMatchObject({ code: 0 });
});

test.each([
  [['backfill', 'nope', ...WEEK], 'there is no task "nope"'],
  [['backfill', 'report'], '--from'],
  [['backfill', 'report', '--from', '1d', '--to', '2d'], 'give a --from before --to'],
  [['backfill', 'report', ...WEEK, '--concurrency', '0'], '--concurrency'],
  [['backfill', 'report', ...WEEK, '--reprocess', 'some'], 'failed'],
  [['backfill', 'stop', 'zzz'], 'there is no backfill "zzz"'],
])('%j is answered with what is wrong', async (args, words) => {
  const { code, stderr } = await run(...args);
  expect(code).toBe(2);
  expect(stderr).toContain(words);
});
