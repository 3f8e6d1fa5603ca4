import { connectRedis, createRunQueue } from '@escapement/queue';
import { holdClusterLock } from '@escapement/store';
import { afterFile } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { answerRequests, schedulerLives } from './answering.ts';
import { cliDatabase, runCli } from './cli.ts';

const { db, env } = await cliDatabase();
answerRequests(db, env.REDIS_URL ?? '');
await schedulerLives(db);
const connection = connectRedis({ url: env.REDIS_URL ?? '', namespace: 'default' });
const queue = createRunQueue(connection);
afterFile(async () => {
  await queue.close();
  await connection.close();
});

/** As after a pass of a scheduler's reconciler. */
async function pass(): Promise<void> {
  await holdClusterLock(db, { name: 'reconciler', holder: 'test', everyMs: 0, holdMs: 1 });
}

async function examine() {
  const { code, stdout } = await runCli(['doctor', '--queue', '-o', 'json'], { env });
  return { code, report: JSON.parse(stdout) };
}

test('a queue that equals the ledger is well, once a reconciler makes passes', async () => {
  expect(await examine()).toMatchObject({
    code: 1,
    report: { ok: false, problems: [expect.stringMatching('ever made a pass')] },
  });
  await pass();
  expect(await examine()).toMatchObject({ code: 0, report: { ok: true, drift: [] } });
});

test('a difference that outlasts a pass is told by kind, with the run, and changed by nobody', async () => {
  const runId = '01a1fbb5-7dbf-793e-b6b3-e822046d82e1';
  await queue.add([{ queue: 'default+shell', runId, dispatch: 1, delayMs: 600_000 }]);
  await db.pool.query(
    `INSERT INTO process (id, role, host, pid, app_version, pools, offers) VALUES ('w', 'worker', 'h', 1, '1', '{default}', '{shell}')`,
  );
  await pass();
  // Each looks twice, with 3 s between: both at the same time.
  const [json, table] = await Promise.all([examine(), runCli(['doctor', '--queue'], { env })]);
  expect(json).toMatchObject({
    code: 1,
    report: { drift: [{ kind: 'extra_job', found: 1, lasting: 1, examples: [runId] }] },
  });
  expect(table.stdout).toMatch(/^extra_job +1 +1 +0 +- +01a1fbb5/m);
});
