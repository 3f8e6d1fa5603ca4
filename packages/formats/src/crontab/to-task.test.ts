import { expect, test, vi } from 'vitest';
import { parseCrontab } from './parse.ts';
import { readCrontab } from './read-crontab.ts';
import { type ToTask, type ToTaskOptions, toTask } from './to-task.ts';

const OPTIONS: ToTaskOptions = { timeZone: 'America/New_York', timeZoneFrom: 'system' };

/** The last schedule line of a crontab. */
function last(text: string, options: Partial<ToTaskOptions> & { system?: boolean } = {}): ToTask {
  const { system, ...rest } = options;
  const line = parseCrontab(text, { system: system ?? false }).findLast((each) => each.kind === 'schedule');
  if (line?.kind !== 'schedule') throw new Error(`no schedule line in ${text}`);
  return toTask(line, { ...OPTIONS, ...rest });
}

function taskOf(text: string, options: Partial<ToTaskOptions> & { system?: boolean } = {}) {
  const result = last(text, options);
  if (!result.ok) throw new Error(result.reason);
  return result;
}

function reasonOf(text: string): string {
  const result = last(text);
  return result.ok ? 'imported' : result.reason;
}

test('a line becomes a shell task on a vixie schedule', () => {
  expect(taskOf('# Nightly\n30 2 * * mon-fri /bin/a').task).toEqual({
    description: 'Nightly',
    schedule: { kind: 'cron', expression: '30 2 * * mon-fri', dialect: 'vixie', timeZone: 'America/New_York' },
    handler: { type: 'shell', command: '/bin/a' },
    timeoutMs: 86_400_000,
  });
});

test('settings become shell, environment and, for HOME, the working directory', () => {
  expect(taskOf('SHELL=/bin/bash\nPATH=/bin\nHOME=/srv\nA=1\n* * * * * a').task.handler).toEqual({
    type: 'shell',
    command: 'a',
    shell: '/bin/bash',
    env: { PATH: '/bin', HOME: '/srv', A: '1' },
    cwd: '/srv',
  });
});

test('LOGNAME and USER of the file do not count, as in cron', () => {
  expect(taskOf('LOGNAME=a\nUSER=b\n* * * * * a').task.handler).not.toHaveProperty('env');
});

test('the zone is CRON_TZ, else TZ, else the given one, and the notes say which', () => {
  const zone = (text: string, options = {}) => {
    const { timeZone, notes } = taskOf(text, options);
    return [timeZone, notes.find((note) => /TZ|zone/.test(note))];
  };
  expect(zone('TZ=UTC\nCRON_TZ=Europe/Berlin\n* * * * * a')).toEqual(['Europe/Berlin', undefined]);
  expect(zone('TZ=Europe/Paris\n* * * * * a')).toEqual(['Europe/Paris', expect.stringContaining('CRON_TZ')]);
  expect(zone('* * * * * a')).toEqual(['America/New_York', expect.stringContaining("this machine's")]);
  expect(zone('* * * * * a', { timeZone: 'UTC', timeZoneFrom: '--tz' })).toEqual([
    'UTC',
    expect.stringContaining('--tz'),
  ]);
});

test('MAILTO becomes mail on failure, MAILTO="" no notice at all', () => {
  expect(taskOf('MAILTO=a@example.com,b@example.com\n* * * * * a').task.notify).toEqual({
    email: ['a@example.com', 'b@example.com'],
  });
  expect(taskOf('MAILTO=""\n* * * * * a').task.notify).toEqual({ none: true });
  expect(taskOf('* * * * * a').task).not.toHaveProperty('notify');
});

test('a mailbox of the host is no mail address, and is said', () => {
  const { task, notes } = taskOf('MAILTO=root,a@example.com\n* * * * * a');
  expect(task.notify).toEqual({ email: ['a@example.com'] });
  expect(notes).toContainEqual(expect.stringContaining('MAILTO=root is no mail address'));
});

test('@reboot is a manual task that runs when the fleet starts', () => {
  const { task, notes } = taskOf('@reboot a');
  expect(task).toMatchObject({ schedule: { kind: 'manual' }, onFleetStart: true });
  expect(notes).toEqual([expect.stringContaining('60 s')]);
});

test('the user column and standard input are kept', () => {
  const { task, notes } = taskOf('* * * * * backup cat%hi', { system: true });
  expect(task.handler).toMatchObject({ user: 'backup', command: 'cat', stdin: 'hi\n' });
  expect(notes).toContainEqual(expect.stringContaining('runs as backup'));
  expect(notes).toContainEqual(expect.stringContaining('first "%"'));
});

test('--pool names the pool', () => {
  expect(taskOf('* * * * * a', { pool: 'db1' }).task.pool).toBe('db1');
});

test.each([
  ['0 0 31 2 * a', /never comes/],
  ['0 0 0 * * a', /day of month: 0/],
  ['60 * * * * a', /minute: 60/],
  ['* * * * monday a', /day of week/],
  ['CRON_TZ=Europe/Berln\n* * * * * a', /unknown time zone "Europe\/Berln".*Europe\/Berlin/],
  ['TZ=CET-1CEST\n* * * * * a', /TZ=CET-1CEST is not an IANA zone.*CRON_TZ/],
])('%s is refused with its reason', (text, reason) => {
  expect(reasonOf(text)).toMatch(reason);
});

test.each([
  ['0 23-7/2 * * *', '0 23,1,3,5,7 * * *'],
  ['0 0 * * mon-sun', '0 0 * * 1,2,3,4,5,6,0'],
  ['0 0 * * fri-sun', '0 0 * * 5,6,0'],
  ['0 0 * * 6-0', '0 0 * * 6,0'],
  ['50-10/10 * * * *', '50,0,10 * * * *'],
  ['0 0 1 nov-feb *', '0 0 1 11,12,1,2 *'],
])('a range over the end of a field is written out, and said: %s', (text, expression) => {
  const { task, notes } = taskOf(`${text} a`);
  expect(task.schedule).toMatchObject({ expression });
  expect(notes).toContainEqual(expect.stringContaining('goes over the end of the field'));
});

test('a value that cron draws is drawn once, within its range, the same at each import, and said', () => {
  const minuteOf = (text: string) => {
    const { schedule } = taskOf(text).task;
    return schedule?.kind === 'cron' ? schedule.expression.split(' ').map(Number)[0] : undefined;
  };
  expect(minuteOf('10~20 3 * * * a')).toBe(minuteOf('10~20 3 * * * a'));
  const drawn = Array.from({ length: 200 }, (_, index) => minuteOf(`10~20 3 * * * job-${index}`) ?? -1);
  expect(Math.min(...drawn)).toBe(10);
  expect(Math.max(...drawn)).toBe(20);
  expect(minuteOf('~ 3 * * * a')).toBeGreaterThanOrEqual(0);
  expect(minuteOf('55~ 3 * * * a')).toBeGreaterThanOrEqual(55);
  expect(taskOf('~ 3 * * * a').notes).toContainEqual(expect.stringContaining('drawn anew by cron'));
  expect(reasonOf('20~10 3 * * * a')).toMatch(/20~10/);
});

test('who runs as root needs one kind of worker, not two', () => {
  expect(taskOf('0 3 * * * root a', { system: true }).notes[0]).toBe(
    'runs as root: needs a worker that runs as root, with ESCAPEMENT_ALLOW_ROOT_TASKS=true',
  );
});

test('+ before the day of week asks for both day fields, with a note', () => {
  const { task, notes } = taskOf('0 9 1-7 * +mon a');
  expect(task.schedule).toMatchObject({ expression: '0 9 1-7 * mon', dayMatch: 'and' });
  expect(notes).toContainEqual(expect.stringContaining('which cron refuses'));
});

test('@minutely is each minute', () => {
  expect(taskOf('@minutely a').task.schedule).toMatchObject({ expression: '* * * * *' });
});

test('a crontab of 175 unknown zones asks Intl once for each', () => {
  taskOf('CRON_TZ=UTC\n0 0 * * * a');
  reasonOf('CRON_TZ=Europe/Berln\n0 0 * * * a');
  const asked = vi.spyOn(Intl, 'DateTimeFormat');
  const text = Array.from({ length: 175 }, (_, n) => `CRON_TZ=America/Argentina/Nowhere_${n}\n0 0 * * * a`).join('\n');
  const { bad } = readCrontab(text, { ...OPTIONS, name: 'x', system: false });
  expect(bad).toHaveLength(175);
  expect(asked.mock.calls.length).toBeLessThanOrEqual(175);
  asked.mockRestore();
});
