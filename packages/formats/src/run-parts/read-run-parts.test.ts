import { nextFire, parseSchedule, type ScheduleSpec } from '@escapement/core/schedule';
import { expect, test } from 'vitest';
import { readAnacrontab } from '../anacron/index.ts';
import { readCrontab } from '../crontab/index.ts';
import type { Translation } from '../translated/index.ts';
import { type FolderOfScripts, readRunParts, type StartLine, startersIn } from './read-run-parts.ts';

const zone = { timeZone: 'Europe/Berlin', timeZoneFrom: '--tz' } as const;

function lines(crontab: string): StartLine[] {
  const { tasks } = readCrontab(crontab, { ...zone, system: true, name: '/etc/crontab' });
  return tasks.map(({ line, task, notes }) => ({ place: `/etc/crontab:${line}`, task, atFirst: {}, lost: [], notes }));
}

const scripts = (...names: string[]): FolderOfScripts => ({
  entries: names.map((name) => ({ name, kind: 'file', executable: true })),
});

function read(started: readonly StartLine[], folders: Record<string, FolderOfScripts>, prefix = ''): Translation {
  const { starters } = startersIn(started, { hasAnacron: false });
  return readRunParts({ starters, folders: new Map(Object.entries(folders)), prefix, pool: 'web1' });
}

const DAILY = '25 6 * * * root cd / && run-parts --report /etc/cron.daily\n';

test('each script is a task with the settings of the line, a second after the one before it, and of one key', () => {
  const { tasks, refused } = read(
    lines(`MAILTO=ops@example.com\nA=b\n${DAILY}`),
    { '/etc/cron.daily': scripts('man-db', 'apt') },
    'web1/',
  );
  expect(refused).toEqual([]);
  const handler = { type: 'shell', user: 'root', cwd: '/', env: { A: 'b', MAILTO: 'ops@example.com' } };
  const atFirst = { key: 'web1/cron.daily', overlap: 'wait-all', timeoutMs: 86_400_000 };
  const common = { notify: { email: ['ops@example.com'] }, pool: 'web1' };
  const schedule = { kind: 'cron', timeZone: 'Europe/Berlin' };
  expect(tasks).toMatchObject([
    {
      place: '/etc/cron.daily/apt',
      task: {
        ...{ ...common, name: 'web1/cron.daily/apt', schedule: { ...schedule, expression: '25 6 * * *' } },
        handler: { ...handler, command: '/etc/cron.daily/apt' },
      },
      atFirst,
    },
    {
      place: '/etc/cron.daily/man-db',
      task: {
        ...{ ...common, name: 'web1/cron.daily/man-db', schedule: { ...schedule, expression: '1 25 6 * * *' } },
        handler: { ...handler, command: '/etc/cron.daily/man-db' },
      },
      atFirst,
    },
  ]);
});

test('what run-parts is given goes to each script: arguments, a umask, a priority, where its output goes', () => {
  const { tasks } = read(
    lines("0 1 * * * root nice -n 19 run-parts -u 077 -a 'two words' --reverse '/srv/my jobs' >/dev/null\n"),
    { '/srv/my jobs': scripts('a', 'b') },
  );
  expect(tasks.map(({ task: { name, handler } }) => [name, 'command' in handler ? handler.command : ''])).toEqual([
    ['my-jobs/b', `umask 077 && nice -n 19 '/srv/my jobs/b' 'two words' >/dev/null`],
    ['my-jobs/a', `umask 077 && nice -n 19 '/srv/my jobs/a' 'two words' >/dev/null`],
  ]);
});

test('a line that leaves its work to anacron counts where that is not, and the job of anacron where it is', () => {
  const guarded = lines('25 6 * * * root test -x /usr/sbin/anacron || { cd / && run-parts /etc/cron.daily; }\n');
  const { tasks: jobs } = readAnacrontab({
    text: '1 5 cron.daily run-parts /etc/cron.daily\n7 10 weekly run-parts /etc/cron.weekly\n',
    ...{ path: '/etc/anacrontab', timeZone: 'UTC', user: 'root' },
  });
  const started = (hasAnacron: boolean) => startersIn([...guarded, ...(hasAnacron ? jobs : [])], { hasAnacron });
  expect(started(false).starters.map(({ line }) => line.place)).toEqual(['/etc/crontab:1']);
  expect(started(true).starters.map(({ line }) => line.place)).toEqual(['/etc/anacrontab:1', '/etc/anacrontab:2']);
  const folders = new Map([
    ['/etc/cron.daily', scripts('a', 'b')],
    ['/etc/cron.weekly', scripts('c', 'd')],
  ]);
  const { tasks } = readRunParts({ starters: started(true).starters, folders });
  expect(tasks.map(({ task }) => task.schedule)).toMatchObject([
    { expression: '5 7 * * *' },
    { expression: '1 5 7 * * *' },
    { dtStart: '2024-01-01T07:10:00' },
    { dtStart: '2024-01-01T07:10:01' },
  ]);
  expect(tasks[0]?.atFirst.catchUp).toMatchObject({ policy: 'latest' });
});

test('a file that output goes to is begun by the first script, and the others add to it', () => {
  const { tasks } = read(lines('0 1 * * * root run-parts /a >/var/log/a.log 2>&1\n'), { '/a': scripts('x', 'y') });
  expect(tasks.map(({ task: { handler } }) => ('command' in handler ? handler.command : ''))).toEqual([
    '/a/x >/var/log/a.log 2>&1',
    '/a/y >>/var/log/a.log 2>&1',
  ]);
});

test('folders of the same name have tasks of other names and keys, whichever of them are wanted', () => {
  const started = lines(
    '0 1 * * * root run-parts /etc/jobs\n0 2 * * * root run-parts /srv/app/jobs\n0 3 * * * root run-parts /srv/_x\n',
  );
  const { starters } = startersIn(started, { hasAnacron: false });
  const folders = new Map(['/etc/jobs', '/srv/app/jobs', '/srv/_x'].map((folder) => [folder, scripts('a')]));
  const named = (only: string[]) =>
    readRunParts({ starters, folders, only }).tasks.map(({ task, atFirst }) => [task.name, atFirst.key]);
  expect(named([])).toEqual([
    ['etc/jobs/a', 'etc/jobs'],
    ['srv/app/jobs/a', 'srv/app/jobs'],
    ['x/a', 'x'],
  ]);
  expect(named(['/srv/app/jobs'])).toEqual([['srv/app/jobs/a', 'srv/app/jobs']]);
});

test('two lines of one folder make two tasks of each script', () => {
  const { tasks } = read(lines(`${DAILY}25 18 * * * root run-parts /etc/cron.daily\n`), {
    '/etc/cron.daily': scripts('a'),
  });
  expect(tasks.map(({ task }) => task.name)).toEqual(['cron.daily/a', 'cron.daily/a.2']);
});

test('what is lost is told: that a failure stops the rest, what is read from run-parts, the order of what starts with the fleet or at random', () => {
  const folders = { '/a': scripts('x') };
  const lost = (line: string) => read(lines(line), folders).tasks[0]?.lost.join();
  expect(lost('0 1 * * * root run-parts --exit-on-error --stdin /a\n')).toMatch(/^--exit-on-error: .*,--stdin: /);
  expect(lost('@reboot root run-parts /a\n')).toContain('the order among the scripts');
  const { tasks } = readAnacrontab({
    text: 'RANDOM_DELAY=30\n1 5 daily run-parts /a\n',
    ...{ path: '', timeZone: 'UTC', user: 'root' },
  });
  expect(read(tasks, folders).tasks[0]?.lost.join()).toContain('the order among the scripts');
});

test('a folder that cannot be read, and an expression that cannot, stop that folder alone', () => {
  const { tasks, refused } = read(
    lines(
      '0 1 * * * root run-parts /gone\n0 1 * * * root run-parts --regex="[[:alpha:]]" /a\n0 1 * * * root run-parts /b\n',
    ),
    { '/gone': 'there is no such folder', '/a': scripts('x'), '/b': scripts('y') },
  );
  expect(tasks.map(({ task }) => task.name)).toEqual(['b/y']);
  expect(refused).toEqual([
    { place: '/gone, started by /etc/crontab:1', reason: 'the folder cannot be read: there is no such folder' },
    { place: '/a, started by /etc/crontab:2', reason: expect.stringContaining('--regex=[[:alpha:]] cannot be read') },
  ]);
});

test.each(['^[]a]+$', '^[^]]+$', '[[:alpha:]]', '\\w', '(?=a)'])(
  '%s is read as POSIX does, or not at all',
  (pattern) => {
    const { refused } = read(lines(`0 1 * * * root run-parts --regex='${pattern}' /a\n`), { '/a': scripts('x') });
    expect(refused).toMatchObject([{ reason: expect.stringContaining('cannot be read') }]);
  },
);

/** All forms of days, steps and hours, so that a line and its copy some seconds later must agree on each of them, also as clocks change. */
const EXPRESSIONS = [
  ...['* * * * *', '17 * * * *', '25 6 * * *', '*/7 2-3 * * *', '30 1 * * *', '30 3 */2 * 1', '0 0 1,15 * 1'],
  ...[
    '0 0 */2 * *',
    '5 1 * * */2',
    '0 3 13 * 5',
    '0 3 1,* * 5',
    '0 3 13 * 5,*',
    '0 0 1 1 *',
    '0 12 * 2-4 sun',
    '@hourly',
    '@daily',
    '@weekly',
  ],
  ...['@monthly', '@yearly', '@midnight', '@annually'],
];

const fires = (spec: ScheduleSpec | undefined, from: string) => {
  const schedule = parseSchedule(spec ?? { kind: 'manual' });
  const all = [new Date(from)];
  while (all.length < 40) all.push(nextFire(schedule, all.at(-1) ?? new Date(0)) ?? new Date(0));
  return all.slice(1).map(Number);
};

test.each(EXPRESSIONS)('%s some seconds later is due some seconds later, each time', (expression) => {
  const folder = { '/a': scripts('a', 'b', 'c', 'd') };
  const { tasks } = read(lines(`${expression} root run-parts /a\n`), folder);
  // The nights on which clocks change, and an ordinary time.
  for (const from of ['2026-03-28T20:00:30Z', '2026-10-24T20:00:30Z', '2026-06-01T00:00:30Z']) {
    const line = fires(tasks[0]?.task.schedule, from);
    for (const second of [1, 3])
      expect(fires(tasks[second]?.task.schedule, from)).toEqual(line.map((at) => at + second * 1000));
  }
});

test('where the clock jumps over the time of the line, all scripts are due right after the gap', () => {
  const { tasks } = read(lines('30 2 * * * root run-parts /a\n'), { '/a': scripts('a', 'b') });
  const first = tasks.map(({ task }) => fires(task.schedule, '2026-03-28T20:00:00Z')[0]);
  expect(first).toEqual([1, 2].map(() => Date.parse('2026-03-29T01:00:00Z')));
});
