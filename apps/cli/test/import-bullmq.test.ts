import { findTask } from '@escapement/store';
import { testRedis } from '@escapement/testkit';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { cliDatabase, runCli } from './cli.ts';

const { env, db } = await cliDatabase();
const { url } = await testRedis();

const run = async (...args: string[]) =>
  await runCli(['import', 'bullmq', '--redis', url, '--tz', 'UTC', ...args], { env });

test('job schedulers are shown and written; Redis stays as it is', async () => {
  const connection = new Redis(url, { maxRetriesPerRequest: null });
  const queue = new Queue('mail', { connection });
  await queue.upsertJobScheduler(
    'nightly',
    { pattern: '30 2 * * *', tz: 'Europe/Berlin' },
    {
      name: 'send',
      data: { list: 'news' },
      opts: { attempts: 3, backoff: { type: 'fixed', delay: 1000 }, priority: 5 },
    },
  );
  await queue.upsertJobScheduler('poll', { every: 60_000, limit: 10 }, { name: 'poll' });
  await connection.zadd('bull:mail:repeat', 1, 'send:::Europe/Paris:0 5 * * 1');
  await queue.close();
  const dump = async () =>
    await Promise.all((await connection.keys('*')).sort().map(async (key) => [key, await connection.dump(key)]));
  const before = await dump();
  const shown = await run('--queue', 'mail');
  expect(shown).toMatchObject({ code: 0, stderr: '' });
  expect(shown.stdout).toMatch(/mail: nightly +at 02:30 every day +Europe\/Berlin .* create +mail\/nightly +1$/m);
  expect(shown.stdout).toContain('not taken over (mail/nightly): priority: say priority of the task');
  expect((await run('--queue', 'mail', '--source', 'mail', '--write')).stdout).toContain('3 created');
  expect((await run('--queue', 'mail', '--source', 'mail', '--write')).stdout).toContain('3 unchanged');
  expect(await dump()).toEqual(before);
  expect(await findTask(db, 'mail/nightly')).toMatchObject({
    source: 'bullmq:mail',
    definition: {
      ...{ handler: { type: 'code', name: 'send' }, payload: { list: 'news' } },
      retry: { maxAttempts: 3, backoff: { kind: 'fixed', delayMs: 1000 } },
    },
  });
  expect((await findTask(db, 'mail/poll'))?.definition.schedule).toMatchObject({
    kind: 'every',
    everyMs: 60_000,
    maxRuns: 10,
  });
  expect((await findTask(db, 'mail/send'))?.definition.schedule).toMatchObject({ timeZone: 'Europe/Paris' });
  await connection.quit();
});

test('a queue, a server or a URL that is none is told with what to look at', async () => {
  expect(await run('--queue', 'post')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/has no queue post[\s\S]*--key-prefix/),
  });
  expect(await run('--queue', 'mail', '--redis', 'http://x')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('redis'),
  });
  const away = await run('--queue', 'mail', '--redis', 'redis://127.0.0.1:1');
  expect(away.code).not.toBe(0);
  expect(away.stderr).toMatch(/127\.0\.0\.1:1/);
});
