import { triggerTask } from '@escapement/operations';
import { openDatabase } from '@escapement/store';
import { afterFile, by, hasPgBouncer, pgBouncer, spawnNode, testDatabase, testRedis } from '@escapement/testkit';
import { expect, it } from 'vitest';
import { runBin } from '../apps/cli/test/cli.ts';

const START_MS = 45_000;

function start(app: 'scheduler' | 'worker', env: Record<string, string>) {
  return spawnNode(new URL(`../apps/${app}/src/main.ts`, import.meta.url), { env });
}

async function through(poolMode: 'session' | 'transaction') {
  const { url } = await testDatabase();
  const redis = await testRedis();
  const env = {
    DATABASE_URL: await pgBouncer(url, { poolMode }),
    REDIS_URL: redis.url,
    ESCAPEMENT_HEALTH_PORT: 'off',
    ESCAPEMENT_ALLOW_SHELL: 'true',
  };
  return { url, env };
}

// Left out where the program is not installed (Debian: `apt-get install pgbouncer`).
it.skipIf(!hasPgBouncer)('a fleet behind a PgBouncer that pools sessions runs its tasks', async () => {
  const { url, env } = await through('session');
  const task = JSON.stringify({
    name: 'behind',
    schedule: { kind: 'manual' },
    handler: { type: 'shell', command: 'true' },
  });
  expect(await runBin(['apply', '-f', '-'], { env, input: task })).toMatchObject({ code: 0 });
  const processes = [start('scheduler', env), start('worker', env)];
  await processes[0]?.waitForLine('scheduler is running', START_MS);
  await processes[1]?.waitForLine('worker is running', START_MS);
  const db = openDatabase({ url, applicationName: 'test' });
  afterFile(() => db.close());
  await triggerTask(db, 'behind', { by: by('test') });
  await processes[1]?.waitForLine('run succeeded', START_MS);
  expect((await runBin(['doctor'], { env })).stdout).not.toMatch(/sessions do not have/);
});

it.skipIf(!hasPgBouncer)('behind one that pools transactions each program says so and ends', async () => {
  const { env } = await through('transaction');
  for (const app of ['scheduler', 'worker'] as const) {
    const process = start(app, env);
    expect(await process.waitForLine('pools transactions', START_MS)).toContain('pool_mode = session');
    expect((await process.exited).code).toBe(3);
  }
  for (const args of [['tasks', 'list'], ['migrate']])
    expect(await runBin(args, { env })).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('pool_mode = session'),
    });
  expect((await runBin(['doctor'], { env })).stdout).toContain('pools transactions');
});
