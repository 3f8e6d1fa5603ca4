import { systemClock } from '@escapement/core';
import { saveTask } from '@escapement/operations';
import { createJobs } from '@escapement/scheduler';
import { afterFile, by } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { apiServer } from './api-server.ts';
import { cliDatabase, runCli } from './cli.ts';

const { db, env: own } = await cliDatabase();
const api = await apiServer(db, 'at-server');
const onDatabase = { DATABASE_URL: own.DATABASE_URL, REDIS_URL: own.REDIS_URL };
const atServer = { ESCAPEMENT_URL: api.url, ESCAPEMENT_TOKEN: api.token };

const jobs = createJobs({ db, processId: 'a scheduler', onError: () => undefined });
jobs.start();
afterFile(() => jobs.stop());

const task = { name: 'report', labels: { team: 'books' }, handler: { type: 'shell' as const, command: 'true' } };
await saveTask(db, { ...task, schedule: { kind: 'every', everyMs: 60_000 } }, { source: 'cli', by: by('test') });
await db.pool.query(`UPDATE task_version SET effective_at = now() - interval '10 minutes'`);

test('a scheduler verifies the ledger for a server: the same findings, words and exit code', async () => {
  const until = new Date(systemClock.now().getTime() - 20_000).toISOString();
  for (const more of [
    ['--from', '5m'],
    ['--from', '5m', '--task', 'report'],
    ['--from', '5m', '-l', 'team=none'],
    ['-o', 'json', '--from', '5m'],
  ]) {
    const args = [
      'verify-ledger',
      ...more.map((each) => (each === '5m' ? new Date(Date.parse(until) - 300_000).toISOString() : each)),
      '--to',
      until,
    ];
    const [there, here] = [await runCli(args, { env: atServer }), await runCli(args, { env: onDatabase })];
    expect(there).toEqual(here);
  }
  expect((await runCli(['verify-ledger', '--task', 'reprt'], { env: atServer })).stderr).toContain(
    'did you mean report?',
  );
  const nothing = await runCli(['verify-ledger', '--from', '1s'], { env: atServer });
  expect([nothing.code, nothing.stderr]).toEqual([2, expect.stringContaining('nothing can be verified')]);
});

test('doctor has the findings of the server, by its settings', async () => {
  const { code, stdout } = await runCli(['doctor', '-o', 'json'], { env: atServer });
  expect(code).toBe(1);
  const { findings } = JSON.parse(stdout);
  expect(findings[0]).toEqual({
    subject: 'Configuration',
    level: 'ok',
    detail: `the API at ${api.url}, from ESCAPEMENT_URL`,
  });
  const levels = findings.map(({ subject, level }: { subject: string; level: string }) => `${subject} ${level}`);
  expect(levels).toEqual(
    expect.arrayContaining(['Postgres ok', 'Schedulers problem', 'Workers problem', 'Redis problem']),
  );
  expect(stdout).not.toContain('this command');
  expect(stdout).not.toContain('Backups');
  const more = await runCli(['doctor', '--production'], { env: atServer });
  expect(more.stdout).toMatch(/WARN +Backups +archive_mode is off/);
});

test('a server that does not answer, and a token that is missing, are findings', async () => {
  const away = await runCli(['doctor'], { env: { ...atServer, ESCAPEMENT_URL: 'http://127.0.0.1:1' } });
  expect([away.code, away.stdout]).toEqual([
    1,
    expect.stringMatching(/^BAD +API +the API at http:\/\/127\.0\.0\.1:1 does not answer/m),
  ]);
  const missing = await runCli(['doctor'], { env: { ESCAPEMENT_URL: api.url } });
  expect([missing.code, missing.stdout]).toEqual([1, expect.stringMatching(/^BAD +Configuration +no token is given/m)]);
});

test('a server of another namespace than the one that is meant is not asked', async () => {
  const meant = (name: string) => runCli(['tasks', 'list'], { env: { ...atServer, ESCAPEMENT_NAMESPACE: name } });
  const other = await meant('shop');
  expect([other.code, other.stdout, other.stderr]).toEqual([
    2,
    '',
    expect.stringContaining(`is that of namespace ${db.namespace}, not of shop`),
  ]);
  expect((await meant(db.namespace)).code).toBe(0);
});
