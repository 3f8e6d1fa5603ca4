import { findTask, writeHeartbeat } from '@escapement/store';
import { testFleet } from '@escapement/testkit/fleet';
import { expect, it } from 'vitest';

const fleet = await testFleet();

const state = { activeRuns: [], clockOffsetMs: 0 };
const worker = (id: string, pool: string, secretRules: string) =>
  writeHeartbeat(
    fleet.db,
    { id, role: 'worker', host: 'h', pid: 1, appVersion: '1', pools: [pool], secretRules },
    state,
  );
const shell = (name: string, pool: string) => ({
  name,
  pool,
  handler: { type: 'shell', command: 'true', env: { KEY: { secret: 'PAY_KEY' } } } as const,
});

it('a task is refused that names a secret which no worker of its pool would give it, with the binding', async () => {
  await worker('one', 'bound', 'PAY_* tasks=pay-*');
  await expect(fleet.save(shell('audit', 'bound'))).rejects.toMatchObject({
    code: 'secret_bound',
    message: 'the secret "PAY_KEY" is not for task audit of pool bound: it is bound to tasks pay-*',
  });
  expect(await findTask(fleet.db, 'audit')).toBeNull();
  await fleet.save(shell('pay-out', 'bound'));
});

it('a task in code and the headers of a request are judged too, a request by its host', async () => {
  await worker('hosts', 'hosts', 'PAY_* hosts=pay.example');
  const code = { type: 'code' as const, name: 'c', secrets: ['PAY_KEY'] };
  await expect(fleet.save({ name: 'c', pool: 'hosts', handler: code })).rejects.toMatchObject({ code: 'secret_bound' });
  const http = (url: string) => ({ type: 'http', url, headers: { Key: { secret: 'PAY_KEY' } } }) as const;
  await expect(
    fleet.save({ name: 'h', pool: 'hosts', handler: http('https://pay.example.evil.com/') }),
  ).rejects.toMatchObject({ message: expect.stringContaining('which sends it to pay.example.evil.com') });
  await fleet.save({ name: 'h', pool: 'hosts', handler: http('https://pay.example/') });
});

it('where one worker of the pool would give it the task is saved, as it is where no worker lives or can be understood', async () => {
  await worker('old', 'rolling', 'PAY_KEY tasks=nobody');
  await worker('new', 'rolling', 'PAY_KEY tasks=audit');
  await fleet.save(shell('audit', 'rolling'));
  await fleet.save(shell('alone', 'empty'));
  await worker('later', 'later', 'PAY_KEY regions=eu');
  await fleet.save(shell('later', 'later'));
});
