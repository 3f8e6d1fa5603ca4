import { taskDefinition } from '@escapement/core';
import { expect, test } from 'vitest';
import { readUnits, type UnitsGiven } from './read-units.ts';

const DIR = '/etc/systemd/system';
const TIMER = '[Timer]\nOnCalendar=daily\n';
const SERVICE = '[Service]\nType=oneshot\nUser=jobs\nExecStart=/usr/bin/backup --full\n';

/** Files by their names in one folder; all its timers are asked for, unless it is said which. */
function read(files: { [name: string]: string }, more: Partial<UnitsGiven> = {}) {
  const all = Object.entries(files).map(([name, text]) => ({ path: `${DIR}/${name}`, text }));
  const timers = all.map(({ path }) => path).filter((path) => path.endsWith('.timer'));
  const read = readUnits({ files: all, timers, timeZone: 'Europe/Berlin', ...more });
  for (const { task, atFirst } of read.tasks) taskDefinition.parse({ ...atFirst, ...task });
  return read;
}

const one = (timer: string, service = SERVICE, more: Partial<UnitsGiven> = {}) => {
  const { tasks, refused } = read({ 'backup.timer': timer, 'backup.service': service }, more);
  if (!tasks[0]) throw new Error(JSON.stringify(refused));
  return tasks[0];
};

const handlerOf = (service: string) => one(TIMER, service).task.handler;
const reasonOf = (timer: string, service = SERVICE) =>
  read({ 'backup.timer': timer, 'backup.service': service }).refused[0]?.reason;

test('a timer and its service become a shell task without a shell', () => {
  const { task, atFirst, lost, paused } = one(
    '[Unit]\nDescription=ours\n[Timer]\nOnCalendar=Mon..Fri 02:30\nPersistent=true\nRandomizedDelaySec=5min\n[Install]\nWantedBy=timers.target\n',
    `[Unit]\nDescription=Backup of %p\n${SERVICE}`,
  );
  expect(task).toEqual({
    name: 'backup',
    description: 'Backup of backup',
    schedule: { kind: 'cron', expression: '30 2 * * MON-FRI', timeZone: 'Europe/Berlin', jitterMs: 300_000 },
    catchUp: { policy: 'latest', withinMs: 31_622_400_000 },
    handler: { type: 'shell', argv: ['/usr/bin/backup', '--full'], cwd: '/', user: 'jobs' },
  });
  expect({ atFirst, lost, paused }).toEqual({ atFirst: { timeoutMs: 86_400_000 }, lost: [], paused: false });
});

test('without Persistent nothing is caught up, as by systemd', () => {
  expect(one(TIMER).task.catchUp).toEqual({ policy: 'none' });
});

test('intervals become intervals; the start that they need is said by them', () => {
  expect(one('[Timer]\nOnBootSec=5min\nOnUnitActiveSec=1h 30min\n').task.schedule).toEqual({
    kind: 'every',
    everyMs: 5_400_000,
  });
  expect(one('[Timer]\nOnActiveSec=1\nOnUnitInactiveSec=90\n').task.schedule).toEqual({
    kind: 'fixed-delay',
    delayMs: 90_000,
  });
});

test('a start with the machine is one with the fleet', () => {
  const { task, lost } = one('[Timer]\nOnBootSec=2min\n');
  expect(task).toMatchObject({ schedule: { kind: 'manual' }, onFleetStart: true });
  expect(lost).toContainEqual(expect.stringContaining('not at each boot'));
  expect(one(`${TIMER}OnBootSec=2min\n`).task).toMatchObject({ schedule: { kind: 'cron' }, onFleetStart: true });
});

test('times that are no one schedule become tasks that share a key', () => {
  const { tasks } = read({
    'backup.timer': '[Timer]\nOnCalendar=Mon 10:00\nOnCalendar=*-*-1 12:00\nOnUnitInactiveSec=1d\n',
    'backup.service': SERVICE,
  });
  expect(tasks.map(({ task }) => [task.name, task.key, task.schedule?.kind])).toEqual([
    ['backup', 'backup', 'cron'],
    ['backup.2', 'backup', 'cron'],
    ['backup.3', 'backup', 'fixed-delay'],
  ]);
});

test('an empty value forgets what was said; drop-ins are read in their order, those of the template first', () => {
  const { tasks } = read(
    {
      'dump@.timer': '[Timer]\nOnCalendar=daily\n',
      'dump@shop.timer.d/10.conf': '[Timer]\nOnCalendar=\nOnCalendar=weekly\n',
      'dump@.service': '[Service]\nExecStart=/bin/false\nEnvironment=A=0\n',
      'dump@.service.d/a.conf': '[Service]\nExecStart=\nExecStart=/usr/bin/dump %i\n',
      'dump@shop.service.d/b.conf': '[Service]\nEnvironment="A=1 2" B=%I\n',
    },
    { timers: [`${DIR}/dump@shop.timer`] },
  );
  expect(tasks[0]?.task).toMatchObject({
    name: 'dump@shop',
    schedule: { expression: '0 0 * * MON' },
    handler: { argv: ['/usr/bin/dump', 'shop'], env: { A: '1 2', B: 'shop' } },
  });
});

test.each([
  ['ExecStart=/bin/echo "a b" \'c\' d\\x20e f\\\\g', ['/bin/echo', 'a b', 'c', 'd e', 'f\\g']],
  ['ExecStart=/bin/echo one \\\n  # a comment\n  two', ['/bin/echo', 'one', 'two']],
  ['ExecStart=/bin/date +%%F $$HOME', ['/bin/date', '+%F', '$HOME']],
  ['ExecStart=/bin/echo 50% %Z', ['/bin/echo', '50%', '%Z']],
  [`ExecStart=:/bin/echo \${A} $B`, ['/bin/echo', `\${A}`, '$B']],
])('%s', (line, argv) => {
  expect(handlerOf(`[Service]\nUser=a\n${line}\n`)).toMatchObject({ argv });
});

test.each([
  [`ExecStart=/bin/a \${X}/y $Z`, `/bin/a "\${X}"/y $Z`],
  ['ExecStart=-/bin/a b', '{ /bin/a b || true; }'],
  [
    'ExecStartPre=-/bin/pre\nExecStart=/bin/a "x y"\nExecStart=/bin/b\nExecStartPost=/bin/c',
    "{ /bin/pre || true; } &&\n/bin/a 'x y' &&\n/bin/b &&\n/bin/c",
  ],
  ['EnvironmentFile=/etc/default/a\nExecStart=/bin/a', 'set -a; . /etc/default/a || exit 1; set +a\n/bin/a'],
  ['EnvironmentFile=-/etc/b\nExecStart=/bin/a', 'if [ -r /etc/b ]; then set -a; . /etc/b; set +a; fi\n/bin/a'],
  ['ExecCondition=/bin/test -e /x\nExecStart=/bin/a', '{ /bin/test -e /x; } || exit 0\n/bin/a'],
])('what a program alone cannot say is a line for a shell: %s', (lines, command) => {
  expect(handlerOf(`[Service]\nType=oneshot\nUser=a\n${lines}\n`)).toMatchObject({ command });
});

test('limits and restarts become a time limit and retries', () => {
  const { task, atFirst } = one(
    TIMER,
    '[Unit]\nStartLimitBurst=3\n[Service]\nType=oneshot\nUser=a\nExecStart=/bin/a\nTimeoutStartSec=10min\nRestart=on-failure\nRestartSec=30\n',
  );
  expect(task).toMatchObject({
    timeoutMs: 600_000,
    retry: { maxAttempts: 3, backoff: { kind: 'fixed', delayMs: 30_000 } },
  });
  expect(atFirst).toEqual({});
});

test('what a task does not take over is said, each kind once, with what to do', () => {
  const { lost } = one(
    `${TIMER}FixedRandomDelay=true\nRandomizedDelaySec=1h\nWakeSystem=yes\n`,
    '[Unit]\nAfter=network-online.target\nRequires=postgresql.service\nConditionACPower=true\nOnFailure=mail@%n.service\n[Service]\nExecStart=+/bin/a\nNice=19\nPrivateTmp=yes\nStandardOutput=append:/var/log/a\n',
  );
  expect(lost.map((each) => each.split(':')[0])).toEqual([
    'WakeSystem',
    'FixedRandomDelay',
    'ExecStart=+...',
    'no User=',
    'StandardOutput',
    'Nice, PrivateTmp',
    'OnFailure',
    'Requires',
    'ConditionACPower',
  ]);
});

test.each([
  ['[Timer]\nPersistent=true\n', SERVICE, /neither OnCalendar= nor an interval/],
  ['[Timer]\nOnCalendar=*/2:00\n', SERVICE, /cannot be read at "\*\/2"/],
  ['[Timer]\nOnCalendar=5:00 Nowhere/City\n', SERVICE, /unknown time zone "Nowhere\/City"/],
  ['[Timer]\nOnUnitActiveSec=soon\n', SERVICE, /OnUnitActiveSec=soon is no span of time/],
  ['[Timer]\nOnUnitActiveSec=0.2s\n', SERVICE, /1 s to 366 days/],
  ['OnCalendar=daily\n', SERVICE, /backup\.timer, line 1: "OnCalendar=daily" is no line/],
  [`${TIMER}Unit=other.target\n`, SERVICE, /other\.target, which is no service/],
  [`${TIMER}Unit=other.service\n`, SERVICE, /other\.service is not in \/etc\/systemd\/system\/: give the folder/],
  [TIMER, '', /backup\.service is empty, as a masked unit is/],
  [TIMER, '[Service]\nType=forking\nExecStart=/bin/a\n', /forking: a run ends when its command ends/],
  [TIMER, '[Service]\nUser=a\n', /has no ExecStart=/],
  [TIMER, '[Service]\nExecStart=/bin/a %H\n', /"%H".*only the host knows/],
  [TIMER, '[Service]\nExecStart=/bin/a "b\n', /without its end/],
  [TIMER, '[Service]\nExecStart=/bin/a ; /bin/b\n', /several commands in a line/],
  [TIMER, '[Service]\nEnvironment=A\nExecStart=/bin/a\n', /"A", which is no NAME=value/],
])('%s and %s are refused with the reason', (timer, service, reason) => {
  expect(reasonOf(timer, service)).toMatch(reason);
});

test('a template without an instance is refused, and stops no other timer', () => {
  const { tasks, refused } = read({
    'a@.timer': TIMER,
    'a@.service': SERVICE,
    'b.timer': TIMER,
    'b.service': SERVICE,
  });
  expect(tasks.map(({ task }) => task.name)).toEqual(['b']);
  expect(refused).toEqual([{ place: `${DIR}/a@.timer`, reason: expect.stringContaining(`${DIR}/a@INSTANCE.timer`) }]);
});
