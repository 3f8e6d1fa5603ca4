import { MINUTE } from '@escapement/core';
import { nextFire, parseSchedule } from '@escapement/core/schedule';
import { expect, test } from 'vitest';
import { type AnacrontabGiven, readAnacrontab } from './read-anacrontab.ts';

const read = (text: string, more: Partial<AnacrontabGiven> = {}) =>
  readAnacrontab({ text, path: 'anacrontab', timeZone: 'Europe/Berlin', user: 'root', ...more });

const schedules = (text: string) => read(text).tasks.map(({ task }) => task.schedule);

// As Debian has it.
const DEBIAN = `# /etc/anacrontab: configuration file for anacron
SHELL=/bin/sh
HOME=/root
LOGNAME=root

# These replace cron's entries
1\t5\tcron.daily\trun-parts --report /etc/cron.daily
7\t10\tcron.weekly\trun-parts --report /etc/cron.weekly
@monthly\t15\tcron.monthly\trun-parts --report /etc/cron.monthly
`;

test('the jobs of Debian are tasks that are made up for, as root, in the morning of the zone', () => {
  const { tasks, refused, notes } = read(DEBIAN, { prefix: 'web1/', pool: 'web1' });
  expect(refused).toEqual([]);
  expect(notes).toEqual([expect.stringContaining('no START_HOURS_RANGE')]);
  expect(tasks.map(({ place, task: { name } }) => [place, name])).toEqual([
    ['anacrontab:7', 'web1/cron.daily'],
    ['anacrontab:8', 'web1/cron.weekly'],
    ['anacrontab:9', 'web1/cron.monthly'],
  ]);
  expect(tasks[0]?.task).toMatchObject({
    schedule: { kind: 'cron', expression: '5 7 * * *', timeZone: 'Europe/Berlin' },
    catchUp: { policy: 'latest' },
    handler: { command: 'run-parts --report /etc/cron.daily', shell: '/bin/sh', cwd: '/root', user: 'root' },
    pool: 'web1',
  });
  expect(tasks[2]?.task.schedule).toMatchObject({ expression: '15 7 1 * *' });
});

test('a period of days is counted in days of the calendar, over changes of the clock', () => {
  const [spec] = schedules('3 10 every-third-day x\n');
  const schedule = parseSchedule(spec ?? { kind: 'manual' });
  const fires = [new Date('2026-03-27T00:00:00Z')];
  for (let count = 0; count < 3; count++) fires.push(nextFire(schedule, fires.at(-1) ?? new Date(0)) ?? new Date(0));
  expect(fires.slice(1).map((at) => at.toISOString())).toEqual([
    '2026-03-27T06:10:00.000Z',
    '2026-03-30T05:10:00.000Z',
    '2026-04-02T05:10:00.000Z',
  ]);
});

test('settings count for the jobs below them: hours, a random delay, who is told', () => {
  const { tasks } = read(
    'START_HOURS_RANGE=3-22\nRANDOM_DELAY=45\nMAILTO=ops@example.com,root\n1 65 late x\nMAILTO=""\n@yearly 0 tax y\n',
  );
  expect(tasks.map(({ task: { schedule, notify } }) => [schedule, notify])).toMatchObject([
    [{ expression: '5 4 * * *', jitterMs: 45 * MINUTE }, { email: ['ops@example.com'] }],
    [{ expression: '0 3 1 1 *' }, { none: true }],
  ]);
  expect(tasks[0]?.lost).toEqual([
    'START_HOURS_RANGE: what is made up for after an outage may start after 22:00, too',
    'MAILTO=root is no mail address: no mail to it',
  ]);
});

test.each([
  ['1 5 only-three', 'a line needs a period'],
  ['@fortnightly 5 a x', '"@fortnightly" is no period'],
  ['1.5 5 a x', 'the period is "1.5"'],
  ['400 5 a x', 'the period is "400"'],
  ['1 -5 a x', 'the delay is "-5"'],
  ['START_HOURS_RANGE=22-3\n1 5 a x', 'START_HOURS_RANGE is "22-3"'],
  ['RANDOM_DELAY=often\n1 5 a x', 'RANDOM_DELAY is "often"'],
])('%j is refused, and stops no other one', (line, reason) => {
  const { refused, tasks } = read(`1 1 before y\n${line}\n`);
  expect(refused).toEqual([{ place: expect.stringContaining('anacrontab:'), reason: expect.stringContaining(reason) }]);
  expect(tasks).toHaveLength(1);
});

test('of two jobs of the same name the second one is refused: anacron notes one day for both', () => {
  const { tasks, refused } = read('1 1 a x\n1 1 a y\n');
  expect(tasks).toHaveLength(1);
  expect(refused[0]?.reason).toContain('the name a stands above already');
});
