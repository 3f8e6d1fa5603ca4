import { findTask } from '@escapement/store';
import { expect, test } from 'vitest';
import { cliDatabase, folder, runCli } from './cli.ts';

const { db, env } = await cliDatabase();
const add = (...args: string[]) => runCli(['tasks', 'add', ...args], { env });
const definitionOf = async (name: string) => (await findTask(db, name))?.definition;

test('a task is made in one line, and a name that exists is refused', async () => {
  const backup = ['backup', '--cron', '30 2 * * *', '--tz', 'Europe/Berlin', '--', 'pg_dump', 'shop', '--clean'];
  const { code, stdout } = await add(...backup);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^# create backup: [678] fires added in the next 7 days$/m);
  expect(await definitionOf('backup')).toMatchObject({
    schedule: { kind: 'cron', expression: '30 2 * * *', timeZone: 'Europe/Berlin' },
    handler: { type: 'shell', argv: ['pg_dump', 'shop', '--clean'] },
  });
  const again = await add(...backup);
  expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('escapement tasks edit backup') });
  expect((await add(...backup, '--plan')).code).toBe(2);
  expect((await findTask(db, 'backup'))?.version).toBe(1);
});

test('what it prints is what apply reads', async () => {
  const { write } = await folder();
  const options = [
    '--every',
    '15m',
    '--timeout',
    '5m',
    '--attempts',
    '3',
    '--label',
    'team=shop',
    '--overlap',
    'wait-one',
  ];
  const planned = await add('tidy', ...options, '--set', 'handler.cwd=/srv', '--plan', '--', 'a | b');
  expect(planned.stderr).toContain('nothing was made');
  expect(await definitionOf('tidy')).toBeUndefined();
  const applied = await runCli(['apply', '-f', await write('tidy.yaml', planned.stdout)], { env });
  expect(applied.code).toBe(0);
  expect(await definitionOf('tidy')).toMatchObject({
    labels: { team: 'shop' },
    schedule: { kind: 'every', everyMs: 900_000 },
    handler: { type: 'shell', command: 'a | b', cwd: '/srv' },
    overlap: { policy: 'wait-one' },
    timeoutMs: 300_000,
    retry: { maxAttempts: 3 },
  });
});

test('how many failures in a row pause it', async () => {
  expect((await add('poll', '--every', '5m', '--pause-after-failures', '3', '--', 'true')).code).toBe(0);
  expect(await definitionOf('poll')).toMatchObject({ pauseAfterFailures: 3 });
  const { stdout } = await runCli(['tasks', 'show', 'poll'], { env });
  expect(stdout).toMatch(/^failures: +3 in a row pause the task$/m);
  expect(await add('bad', '--pause-after-failures', '0', '--', 'true')).toMatchObject({ code: 2 });
});

test('a request, once', async () => {
  expect((await add('ping', '--at', '2h', '--http', 'https://shop.example/ping')).code).toBe(0);
  expect(await definitionOf('ping')).toMatchObject({ schedule: { kind: 'once' }, handler: { type: 'http' } });
});

test.each([
  [['x'], 'not said what the task runs'],
  [['x', '--http', 'https://shop.example', '--', 'true'], 'both --http and a command'],
  [['x', '--cron', '* * * * *', '--every', '1m', '--', 'true'], 'more than one of'],
  [['x', '--tz', 'Europe/Berlin', '--', 'true'], '--tz is given without'],
  [['x', '--every', 'often', '--', 'true'], '--every is "often"'],
  [['x', '--label', 'team', '--', 'true'], '--label is "team"'],
  [['x', '--cron', '99 * * * *', '--', 'true'], '99'],
])('refused: %j', async (args, message) => {
  const { code, stderr } = await add(...args);
  expect(code).toBe(2);
  expect(stderr).toContain(message);
  expect(await definitionOf('x')).toBeUndefined();
});
