import { saveTask } from '@escapement/operations';
import { by } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { cliDatabase, folder, runCli } from './cli.ts';

const { db, env } = await cliDatabase();
const clock = { now: () => new Date('2026-12-20T00:00:00Z'), monotonicMs: () => 0 };
const run = (...args: string[]) => runCli(args, { env, clock });
const dir = await folder();

const businessDays = {
  description: 'Weekends and Christmas',
  timeZone: 'Europe/Berlin',
  entries: [
    { name: 'weekend', weekdays: ['SAT', 'SUN'] },
    { name: 'Christmas', dates: ['12-25'] },
  ],
};
const file = await dir.write('free.json', JSON.stringify(businessDays));
const schedule = { kind: 'cron', expression: '0 9 * * *', timeZone: 'Europe/Berlin' } as const;
const handler = { type: 'shell', command: 'true' } as const;

test('a calendar is saved, listed, shown as it was given, and kept while a task uses it', async () => {
  expect((await run('calendars', 'set', 'free', file)).stdout).toBe(
    'free is created (version 1); 0 tasks planned anew\n',
  );
  expect((await run('calendars', 'set', 'free', file)).stdout).toBe('free is so already (version 1)\n');
  await saveTask(
    db,
    { name: 'report', schedule, handler, calendars: { exclude: ['free'] } },
    { source: 'cli', by: by('test') },
  );
  expect((await run('calendars', 'list')).stdout).toMatch(/^free +Europe\/Berlin +2 +1 +1 .* Weekends and Christmas$/m);
  const shown = await run('calendars', 'show', 'free');
  expect(JSON.parse(shown.stdout)).toEqual(businessDays);
  expect(shown.stderr).toContain('used by report');
  expect(await run('calendars', 'delete', 'free')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('used by report'),
  });
});

test('next and explain leave out what the calendar excludes, and say so', async () => {
  const { stdout, stderr } = await run('next', '--task', 'report', '--after', '2026-12-24 12:00', '--count', '2');
  expect(stdout).toMatch(/\n2026-12-28 09:00:00 \+01:00 .*\n2026-12-29 09:00:00/);
  expect(stderr).toContain('left out: 2026-12-25T08:00:00Z, excluded by calendar free: Christmas');
  expect(stderr).toContain('left out: 2026-12-26T08:00:00Z, excluded by calendar free: weekend');
  expect((await run('explain', '--task', 'report')).stdout).toContain('What falls into free is left out.');
});

test('the last business day of the month', async () => {
  const last = { kind: 'cron', expression: '0 18 L * *', timeZone: 'Europe/Berlin' } as const;
  await saveTask(
    db,
    { name: 'month-end', schedule: last, handler, calendars: { exclude: ['free'], shift: 'previous' } },
    { source: 'cli', by: by('test') },
  );
  const { stdout } = await run('next', '--task', 'month-end', '--after', '2027-01-01', '--count', '2');
  expect(stdout).toMatch(/\n2027-01-29 18:00:00 .*\n2027-02-26 18:00:00/);
  expect((await run('explain', '--task', 'month-end')).stdout).toContain(
    'moved to the previous day that is in none of them',
  );
});

test.each([
  ['{', /free.json|not JSON/],
  ['{"timeZone": "UTC", "entries": [{"weekday": ["SAT"]}]}', /weekday/],
  ['{"timeZone": "Mars/Base", "entries": [{"dates": ["12-25"]}]}', /Mars/],
])('the calendar %s is refused', async (text, message) => {
  const { code, stderr } = await runCli(['calendars', 'set', 'bad', '-'], { env, input: text });
  expect(code).toBe(2);
  expect(stderr).toMatch(message);
});

test('the next occurrences are skipped, and the ones after them are not', async () => {
  const real = (...args: string[]) => runCli(args, { env });
  const { stdout } = await real('tasks', 'skip', 'report', '--next', '2', '--reason', 'stocktaking', '-o', 'json');
  const { skipped } = JSON.parse(stdout);
  expect(skipped).toHaveLength(2);
  const { rows } = await db.pool.query('SELECT until_at, note FROM task_pause');
  expect(rows[0]).toEqual({ until_at: new Date(Date.parse(skipped[1]) + 1), note: 'stocktaking' });
  const again = JSON.parse((await real('tasks', 'skip', 'report', '-o', 'json')).stdout);
  expect(Date.parse(again.skipped[0])).toBeGreaterThan(Date.parse(skipped[1]));
  expect((await real('tasks', 'resume', 'report')).stdout).toContain('2 pauses ended');
});

test('how day fields combine and what a change of the clock does can be asked for', async () => {
  const at = (...args: string[]) => runCli(['next', ...args, '--count', '1', '-o', 'json'], { clock });
  const next = async (...args: string[]) => JSON.parse((await at(...args)).stdout).next[0].at;
  expect(await next('0 0 1-7 * 1', '--tz', 'UTC', '--day-match', 'and')).toBe('2027-01-04T00:00:00.000Z');
  const gap = ['30 2 * * *', '--tz', 'Europe/Berlin', '--after', '2026-03-28T12:00:00Z'];
  expect(await next(...gap, '--dst-gap', 'shift')).toBe('2026-03-29T01:30:00.000Z');
  expect(await next(...gap, '--dst-gap', 'skip')).toBe('2026-03-30T00:30:00.000Z');
  const twice = ['30 2 * * *', '--tz', 'Europe/Berlin', '--after', '2026-10-24T12:00:00Z'];
  expect(await next(...twice, '--dst-overlap', 'second')).toBe('2026-10-25T01:30:00.000Z');
});

test('working days before the last one of the month leave out holidays, and W beside a calendar is warned of', async () => {
  const holidays = { timeZone: 'Europe/Berlin', entries: [{ name: 'Christmas', dates: ['12-25', '12-26', '12-31'] }] };
  await run('calendars', 'set', 'holidays', await dir.write('holidays.json', JSON.stringify(holidays)));
  const task = (name: string, expression: string, calendars: object) => ({
    name,
    handler,
    schedule: { ...schedule, expression },
    calendars: { exclude: ['holidays'], ...calendars },
  });
  const closing = task('closing', '0 18 L * *', { shift: 'previous', workingDayOffset: -2 });
  const tasks = await dir.write('tasks.json', JSON.stringify([closing, task('nominal', '0 18 LW * *', {})]));
  const planned = await run('apply', '-f', tasks, '--set', 'days', '--plan');
  expect(planned.stdout.match(/warning: W in the day of month takes Monday to Friday/g)).toHaveLength(1);
  await run('apply', '-f', tasks, '--set', 'days');
  const explained = (await run('explain', '--task', 'closing')).stdout;
  expect(explained.replaceAll(/\s+/g, ' ')).toContain(
    'What falls on a weekend or into holidays is moved to the previous working day. From there it is moved 2 working days back, as is all else.',
  );
  // 31 December 2026 is a Thursday, and off.
  expect((await run('next', '--task', 'closing', '--count', '2')).stdout).toMatch(
    /2026-12-28 18:00:00 \+01:00.*\n2027-01-27 18:00:00 \+01:00/,
  );
  const bad = await dir.write('bad.json', JSON.stringify(task('bad', '0 18 L * *', { workingDayOffset: -2 })));
  expect((await run('apply', '-f', bad, '--set', 'days')).stdout).toContain('workingDayOffset needs shift');
});
