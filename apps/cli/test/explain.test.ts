import { saveTask } from '@escapement/operations';
import { by } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { cliDatabase, runBin, runCli } from './cli.ts';

const { db, env } = await cliDatabase();

await saveTask(
  db,
  {
    name: 'report',
    schedule: { kind: 'cron', expression: 'H H(0-5) * * *', timeZone: 'Europe/Berlin', jitterMs: 60_000 },
    handler: { type: 'shell', command: 'true' },
  },
  { source: 'cli', by: by('test') },
);
await saveTask(
  db,
  { name: 'poll', schedule: { kind: 'every', everyMs: 90_000 }, handler: { type: 'shell', command: 'true' } },
  { source: 'cli', by: by('test') },
);
await saveTask(
  db,
  { name: 'by-hand', onFleetStart: true, handler: { type: 'shell', command: 'true' } },
  { source: 'cli', by: by('test') },
);

const BERLIN = ['30 2 * * *', '--tz', 'Europe/Berlin', '--after', '2026-01-01'];

test('an expression is explained, with its next fires and the changes of the clock that hit it', async () => {
  const { code, stdout, stderr } = await runBin(['explain', ...BERLIN]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^At 02:30 every day, on the clock of Europe\/Berlin\. When the clock changes, a local time/);
  expect(stdout.match(/^2026-01-0[1-5] 02:30:00 \+01:00 {2}2026-01-0[1-5]T01:30:00Z /gm)).toHaveLength(5);
  expect(stdout).toMatch(/^clock change, 2026-03-29: the local time 02:30 does not exist in Europe\/Berlin/m);
  expect(stdout).toMatch(/^ {2}2026-03-29 03:00:00 \+02:00 {2}2026-03-29T01:00:00Z$/m);
  expect(stdout).toMatch(/^clock change, 2026-10-25: the local time 02:30 comes twice/m);
  expect(stdout).toMatch(/^ {2}2026-10-25 02:30:00 \+02:00 {2}2026-10-25T00:30:00Z$/m);
  expect(stdout).not.toContain('2026-10-25T01:30:00Z');
});

test('as JSON', async () => {
  const { stdout } = await runBin(['explain', ...BERLIN, '-o', 'json']);
  expect(JSON.parse(stdout)).toMatchObject({
    expression: '30 2 * * *',
    dialect: 'unix',
    timeZone: 'Europe/Berlin',
    explanation: expect.stringContaining('At 02:30 every day'),
    warnings: [],
    next: [{ at: '2026-01-01T01:30:00.000Z', local: '2026-01-01 02:30:00 +01:00' }, {}, {}, {}, {}],
    clockChanges: [
      { code: 'clock_gap', at: '2026-03-29T01:00:00.000Z', fires: [{ at: '2026-03-29T01:00:00.000Z' }] },
      { code: 'clock_overlap', at: '2026-10-25T01:00:00.000Z', fires: [{ at: '2026-10-25T00:30:00.000Z' }] },
    ],
  });
});

test('what may not be meant is a warning with what to write instead', async () => {
  const { code, stdout } = await runBin(['explain', '0 9 1-7 * 1', '--tz', 'UTC']);
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /^warning: this is not the first Monday of the month: .*\n {2}instead: day of week 1#1, day of month \*$/m,
  );
});

test('the dialect decides what a number of a weekday means', async () => {
  const { stdout } = await runCli(['explain', '0 0 9 ? * 7', '--dialect', 'quartz', '--tz', 'UTC']);
  expect(stdout).toMatch(/^At 09:00 on Saturday, on the clock of UTC\.$/m);
  expect((await runCli(['explain', '0 9 * * 7', '--tz', 'UTC'])).stdout).toMatch(/^At 09:00 on Sunday,/);
});

test('a saved task is explained, H and jitter as its name spreads them', async () => {
  const { code, stdout } = await runBin(['explain', '--task', 'report'], { env });
  expect(code).toBe(0);
  expect(stdout).toMatch(/ for the name report\.$/m);
  expect(stdout).toMatch(/^LOCAL TIME +UTC +WITH JITTER +FROM NOW$/m);
  const { next }: { next: { at: string; dueAt: string }[] } = JSON.parse(
    (await runCli(['explain', '--task', 'report', '-o', 'json'], { env })).stdout,
  );
  expect(next).toHaveLength(5);
  for (const { at, dueAt } of next) {
    const jitterMs = Date.parse(dueAt) - Date.parse(at);
    expect(jitterMs >= 0 && jitterMs < 60_000).toBe(true);
  }
});

test('next shows a saved task as the planner sees it, and an expression as a name would spread it', async () => {
  const next = async (...args: string[]): Promise<{ next: { at: string }[]; timeZone: string }> =>
    JSON.parse((await runCli(['next', ...args, '--after', '2026-06-01', '-o', 'json'], { env })).stdout);
  const saved = await next('--task', 'report');
  const seeded = await next('H H(0-5) * * *', '--seed', 'report', '--tz', 'Europe/Berlin');
  const named = await next('H H(0-5) * * *', '--task', 'report');
  const other = await next('H H(0-5) * * *', '--seed', 'mail', '--tz', 'Europe/Berlin');
  const instants = (shown: typeof saved): string[] => shown.next.map(({ at }) => at);
  expect(instants(seeded)).toEqual(instants(saved));
  expect(named).toMatchObject({ timeZone: 'Europe/Berlin', next: seeded.next.map(({ at }) => ({ at })) });
  expect(instants(other)).not.toEqual(instants(saved));
});

test('a schedule without a zone has UTC only, one without an instant no table', async () => {
  expect((await runCli(['explain', '--task', 'poll'], { env })).stdout).toMatch(
    /^Every 1 minute and 30 seconds\.\n\nUTC +FROM NOW$/m,
  );
  expect(await runCli(['explain', '--task', 'by-hand'], { env })).toMatchObject({
    code: 0,
    stdout: 'Only when triggered. It also runs when the fleet comes up.\n',
  });
});

test.each([
  [['explain'], /give a cron expression in quotes, or a saved task/],
  [['explain', '0 0 31 2 *', '--tz', 'UTC'], /the date "31 2 \*" never comes/],
  [['explain', '0 3 * * *', '--tz', 'Europe/Berln'], /did you mean Europe\/Berlin\?/],
  [['explain', '--task', 'repot'], /there is no task "repot"\n {2}did you mean report\?/],
  [['explain', '--task', 'report', '--tz', 'UTC'], /--tz does not go with --task report/],
  [['next', 'H * * * *', '--task', 'report', '--seed', 'x'], /--seed does not go with --task report/],
])('%j is refused', async (args, message) => {
  const { code, stderr } = await runCli(args, { env });
  expect(code).toBe(2);
  expect(stderr).toMatch(message);
});

test('H without a name is spread by none, and a remark says so', async () => {
  const { stderr } = await runCli(['explain', 'H 3 * * *', '--tz', 'UTC']);
  expect(stderr).toContain('--seed');
});
