import { SECOND } from '@escapement/core';
import { saveTask } from '@escapement/operations';
import { ownLedger } from '@escapement/store';
import { by } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { cliDatabase, runCli } from './cli.ts';

const { db, env } = await cliDatabase();
const check = (...args: string[]) => runCli(['restore-check', ...args], { env });
const ACCEPT = ['--apply', '--reason', 'the disk is gone'];

test('a ledger that nobody ever worked on needs nothing', async () => {
  expect(await check()).toMatchObject({ code: 0, stdout: expect.stringContaining('ever worked on it') });
  expect((await check(...ACCEPT)).stdout).toContain('nothing to do');
});

test('while somebody works on it nothing is accepted; then it is told by task, and accepted once', async () => {
  const schedule = { kind: 'every', everyMs: 60 * SECOND, anchor: '2026-01-01T00:00:00Z' } as const;
  const handler = { type: 'http', url: 'https://shop.example/' } as const;
  await saveTask(db, { name: 'minutely', schedule, handler, catchUp: 'none' }, { source: 'test', by: by('test') });
  await db.pool.query(`UPDATE task_plan SET next_run_at = next_run_at - interval '2 hours'`);
  await db.pool.query(
    `INSERT INTO process (id, namespace, role, host, pid, app_version) VALUES ('s', 'default', 'scheduler', 'h', 1, '1')`,
  );
  await ownLedger(db);
  expect(await check(...ACCEPT)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('works on this ledger already: s'),
  });
  await db.pool.query(`UPDATE process SET heartbeat_at = heartbeat_at - interval '2 hours'`);

  const shown = await check();
  expect(shown).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/WARN +Ledger .* 2 h ago; whether files were restored/),
  });
  expect(shown.stdout).toMatch(/BAD +Occurrences +1\d\d occurrences of 1 task were due since/);
  expect(shown.stderr).toMatch(/minutely: 1\d\d occurrences due since; its catch-up policy \(none\) would run [01]$/m);
  await db.pool.query('UPDATE ledger_origin SET checked_at = NULL');
  expect((await check()).stdout).toMatch(/BAD +Ledger +it was restored from a dump;/);

  expect((await check('--apply')).stderr).toContain('--apply needs --reason');
  expect((await check(...ACCEPT, '--stopped-at', '3h')).stderr).toContain('cannot have stopped at');
  const token = await runCli(['restore-check'], { env: { ...env, ESCAPEMENT_TOKEN: 'esc_none' } });
  expect(token.code).not.toBe(0);
  expect(await check(...ACCEPT, '--stopped-at', '1h')).toMatchObject({ code: 0 });
  expect(await check()).toMatchObject({ code: 0, stdout: expect.stringContaining('nobody has worked on it since') });
  const { rows } = await db.pool.query<{ hours: number }>(
    `SELECT round(extract(epoch FROM until_at - from_at) / 3600)::integer AS hours FROM fleet_freeze`,
  );
  expect(rows).toEqual([{ hours: 1 }]);
});
