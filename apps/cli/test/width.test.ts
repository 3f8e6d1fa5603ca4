import { saveTask } from '@escapement/operations';
import { by, finishedRun } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { textWidth } from '../src/output/table.ts';
import { cliDatabase, runCli } from './cli.ts';

const { db, env } = await cliDatabase();
const LONG = 'a-name-as-long-as-a-tired-operator-would-choose-for-a-nightly-report-of-everything';
const run = (args: string[], columns?: number) => runCli(args, { env, columns });

await saveTask(
  db,
  {
    name: LONG,
    schedule: { kind: 'cron', expression: '17 3 * * mon-fri', timeZone: 'America/Argentina/ComodRivadavia' },
    handler: { type: 'shell', command: `echo ${'long '.repeat(40)}` },
    pool: 'a-pool-with-a-name-that-is-long',
  },
  { source: 'cli', by: by('test') },
);
await finishedRun(db, `${LONG}-that-failed`);
await run(['monitors', 'create', LONG, '--every', '1h']);
await run(['tasks', 'pause', LONG, '--reason', 'because '.repeat(20)]);

const LISTS = [
  ['tasks', 'list'],
  ['tasks', 'history', LONG],
  ['tasks', 'stats', LONG],
  ['runs', 'list'],
  ['keys', 'list'],
  ['alerts', 'list'],
  ['alerts', 'rules'],
  ['alerts', 'silences'],
  ['alerts', 'deliveries'],
  ['monitors', 'list'],
  ['errors', 'list'],
  ['pools', 'list'],
  ['workers', 'list'],
  ['recovery', 'list'],
  ['requests', 'list'],
  ['audit', 'log'],
  ['users', 'list'],
  ['tokens', 'list'],
  ['calendars', 'list'],
  ['forecast'],
  ['next', '--task', LONG],
  ['top', '--once'],
  ['shadow', 'status'],
  ['config'],
  ['doctor'],
];

test.each(LISTS.map((args) => ({ args })))('$args fits a terminal of 80 columns', async ({ args }) => {
  const { code, stdout, stderr } = await run(
    args.filter((arg) => typeof arg === 'string'),
    80,
  );
  expect(code, stderr).not.toBe(2);
  expect(
    stdout
      .replace('\x1b[H\x1b[2J', '')
      .split('\n')
      .filter((line) => textWidth(line) > 80),
  ).toEqual([]);
});

test('what does not fit is cut, left out and told of; --wide, a pipe and JSON have all of it', async () => {
  const narrow = await run(['tasks', 'list'], 80);
  expect(narrow.stdout).toContain('…');
  expect(narrow.stdout).not.toContain(LONG);
  expect(narrow.stderr).toMatch(/^left out on this terminal: .*SOURCE.* \(--wide shows all\)$/m);
  for (const whole of [
    await run(['tasks', 'list', '--wide'], 80),
    await run(['tasks', 'list']),
    await run(['tasks', 'list', '-o', 'json'], 80),
  ]) {
    expect(whole.stdout).toContain(LONG);
    expect(whole.stderr).not.toContain('left out');
  }
});

test('the id of a run is never cut', async () => {
  const { stdout } = await run(['runs', 'list'], 80);
  expect(stdout).toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/);
});
