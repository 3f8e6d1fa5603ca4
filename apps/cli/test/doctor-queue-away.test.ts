import { expect, test } from 'vitest';
import { answerRequests, schedulerLives } from './answering.ts';
import { cliDatabase, runCli } from './cli.ts';

const { db, env } = await cliDatabase();
answerRequests(db, 'redis://127.0.0.1:1');
await schedulerLives(db);

test('with Redis away the ledger is looked at, and that is said', async () => {
  const { code, stdout } = await runCli(['doctor', '--queue', '-o', 'json'], { env });
  expect(code).toBe(1);
  expect(JSON.parse(stdout).problems).toContainEqual(
    expect.stringMatching(/only the ledger: Redis at .* does not answer/),
  );
});

test('where no scheduler lives nobody is waited for', async () => {
  await db.pool.query('DELETE FROM process');
  const { code, stdout } = await runCli(['doctor', '--queue', '-o', 'json'], { env });
  expect(code).toBe(1);
  expect(JSON.parse(stdout).problems).toContainEqual(expect.stringMatching(/only the ledger: no scheduler is alive/));
});
