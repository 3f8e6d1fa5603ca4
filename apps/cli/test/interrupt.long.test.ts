import { saveTask } from '@escapement/operations';
import { listRequests } from '@escapement/store';
import { by, spawnNode } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { cliDatabase } from './cli.ts';

const { db, env } = await cliDatabase();
const BIN = new URL('../bin/escapement.js', import.meta.url);

await saveTask(db, { name: 'never', handler: { type: 'shell', command: 'true' } }, { source: 'cli', by: by('test') });

test('Ctrl-C ends the waiting with 130 and says that the run goes on', async () => {
  const waiting = spawnNode(BIN, { args: ['tasks', 'trigger', 'never', '--wait'], env });
  const [, id] = (await waiting.waitForLine(/^run [0-9a-f-]{36}$/)).split(' ');
  expect(await waiting.terminate('SIGINT')).toEqual({ code: 130, signal: null });
  expect(waiting.lines.join('\n')).toContain(`error: run ${id} goes on\n  escapement runs logs ${id} --follow`);
});

test('Ctrl-C leaves a bulk action to the schedulers, and says how to look', async () => {
  const waiting = spawnNode(BIN, { args: ['runs', 'cancel', '--task', 'never', '--yes'], env });
  await waiting.waitForLine('it waits: no scheduler is alive');
  expect(await waiting.terminate('SIGINT')).toEqual({ code: 130, signal: null });
  const [request] = await listRequests(db, 1);
  expect(request).toMatchObject({ request: { kind: 'cancel_runs', tasks: ['never'] }, result: null });
  expect(waiting.lines.join('\n')).toContain(
    `error: request ${request?.id} goes on\n  escapement requests show ${request?.id} --wait`,
  );
});

test('SIGTERM ends the command and what it started', async () => {
  const waiting = spawnNode(BIN, { args: ['tasks', 'trigger', 'never', '--wait'], env });
  await waiting.waitForLine(/^run /);
  expect(await waiting.terminate('SIGTERM')).toEqual({ code: null, signal: 'SIGTERM' });
});

test('a run that nobody starts is explained: no scheduler, no worker', async () => {
  const waiting = spawnNode(BIN, { args: ['tasks', 'trigger', 'never', '--wait'], env });
  await waiting.waitForLine('it waits: no scheduler is alive');
  await waiting.waitForLine('it waits: no worker of the pool "default" is alive');
  await waiting.kill();
});
