import { expect, test } from 'vitest';
import { mentionsRunParts, readRunPartsCall } from './call.ts';

const plain = { args: [], reverse: false, exitOnError: false, stdin: false, lsb: false };
const daily = { folder: '/etc/cron.daily', unlessAnacron: false, before: '', redirect: '', options: plain };

test.each([
  // Debian 12, Debian 10, cronie, its anacron.
  ['cd / && run-parts --report /etc/cron.daily', { ...daily, cwd: '/' }],
  [
    'test -x /usr/sbin/anacron || { cd / && run-parts --report /etc/cron.daily; }',
    { ...daily, cwd: '/', unlessAnacron: true },
  ],
  [
    'test -x /usr/sbin/anacron || ( cd / && run-parts --report /etc/cron.daily )',
    { ...daily, cwd: '/', unlessAnacron: true },
  ],
  ['[ -x /usr/sbin/anacron ] || run-parts /etc/cron.daily', { ...daily, unlessAnacron: true }],
  ['run-parts /etc/cron.daily', daily],
  ['nice run-parts /etc/cron.daily/', { ...daily, before: 'nice ' }],
  ['nice -n 19 ionice -c 3 /bin/run-parts -v -- /etc/cron.daily', { ...daily, before: 'nice -n 19 ionice -c 3 ' }],
  ['run-parts /etc/cron.daily >/dev/null 2>&1', { ...daily, redirect: ' >/dev/null 2>&1' }],
  ["run-parts '/srv/my jobs'", { ...daily, folder: '/srv/my jobs' }],
  [
    "run-parts -a one --arg='two words' -u 077 --regex='^[a-z]+$' --reverse --exit-on-error --stdin --lsbsysinit /etc/cron.daily",
    {
      ...daily,
      options: {
        ...{ args: ['one', 'two words'], umask: '077', pattern: '^[a-z]+$' },
        ...{ reverse: true, exitOnError: true, stdin: true, lsb: true },
      },
    },
  ],
])('%s', (command, call) => {
  expect(mentionsRunParts(command)).toBe(true);
  expect(readRunPartsCall(command)).toEqual(call);
});

test.each([
  ['run-parts /etc/cron.daily | logger', 'does more than start run-parts'],
  ['[ -d /mnt/backup ] && run-parts /etc/cron.daily', 'does more than start run-parts'],
  ['run-parts /etc/cron.daily && run-parts /etc/cron.local', 'does more than start run-parts'],
  ['run-parts "$FOLDER"', 'does more than start run-parts'],
  ['run-parts /etc/cron.*', 'does more than start run-parts'],
  ['run-parts', 'does more than start run-parts'],
  ['run-parts cron.daily', 'run-parts is given cron.daily'],
  ['run-parts --report', 'run-parts is given no folder'],
  ['run-parts --test /etc/cron.daily', 'run-parts has the option --test'],
  ['run-parts -u u=rwx /etc/cron.daily', 'the umask of run-parts is "u=rwx"'],
])('%s is refused: %s', (command, why) => {
  expect(() => readRunPartsCall(command)).toThrow(why);
});

test.each(['/usr/local/bin/my-run-parts.sh', 'echo run-partsy', 'prerun-parts /x'])(
  '%s is nothing of run-parts',
  (command) => {
    expect(mentionsRunParts(command)).toBe(false);
  },
);
