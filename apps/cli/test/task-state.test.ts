import { saveTask } from '@escapement/operations';
import { by } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { cliDatabase, folder, runCli, WHO } from './cli.ts';

const { db, env } = await cliDatabase();
const run = (...args: string[]) => runCli(args, { env });
const dir = await folder();
const file = await dir.write('state.json', '{"cursor": "b"}');
const handler = { type: 'shell', command: 'true' } as const;
await saveTask(db, { name: 'import', handler, state: { version: 2 } }, { source: 'cli', by: by('test') });
await saveTask(
  db,
  { name: 'shops', handler, state: {}, key: 'shop:{{payload.shop}}' },
  { source: 'cli', by: by('test') },
);
await saveTask(db, { name: 'plain', handler }, { source: 'cli', by: by('test') });

test('a state is set, shown with who did it, and dropped, with an audit entry each', async () => {
  expect((await run('tasks', 'state', 'show', 'import')).stderr).toContain('keeps nothing yet');
  expect(await run('tasks', 'state', 'set', 'import', file, '--reason', 'went too far')).toMatchObject({
    code: 0,
    stdout: 'the state of key "import" is set\n',
  });
  expect((await run('tasks', 'state', 'show', 'import')).stdout).toMatch(
    new RegExp(`^import +1 .* ${WHO} +\\{"cursor":"b"\\}$`, 'm'),
  );
  const one = await run('tasks', 'state', 'show', 'import', '--key', 'import');
  expect(JSON.parse(one.stdout)).toEqual({ cursor: 'b' });
  expect((await run('tasks', 'state', 'drop', 'import', '--reason', 'from the start')).stdout).toContain(
    'is forgotten',
  );
  expect(await run('tasks', 'state', 'drop', 'import', '--reason', 'again')).toMatchObject({ code: 2 });
  const { rows } = await db.pool.query(
    `SELECT action, subject, reason FROM audit WHERE subject LIKE 'key:%' ORDER BY id`,
  );
  expect(rows).toEqual([
    { action: 'state set', subject: 'key:import', reason: 'went too far' },
    { action: 'state drop', subject: 'key:import', reason: 'from the start' },
  ]);
});

test('one of several keys is named', async () => {
  const given = ['tasks', 'state', 'set', 'shops', file, '--reason', 'x'];
  expect((await run(...given)).stderr).toContain('payload.shop, which the payload lacks');
  expect((await run(...given, '--key', 'shop:7')).stdout).toContain('"shop:7" is set');
});

test('what is no JSON, and a task that keeps nothing, are refused', async () => {
  const bad = await dir.write('bad.json', '{cursor}');
  expect(await run('tasks', 'state', 'set', 'import', bad, '--reason', 'x')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('is not JSON'),
  });
  expect((await run('tasks', 'state', 'set', 'plain', file, '--reason', 'x')).stderr).toContain('declares no state');
});
