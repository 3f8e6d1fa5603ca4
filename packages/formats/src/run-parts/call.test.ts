import { expect, test } from 'vitest';
import { mentionsRunParts, readRunPartsCall } from './call.ts';

const to = (operator: string, file: string) => ({ kind: 'redirect', operator, file });
const plain = { args: [], reverse: false, exitOnError: false, stdin: false, lsb: false };
const daily = { folder: '/etc/cron.daily', unlessAnacron: false, before: '', redirects: [], options: plain };

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
  [
    'run-parts /etc/cron.daily >/dev/null 2>&1',
    { ...daily, redirects: [to('>', '/dev/null'), { kind: 'redirect', operator: '2>&1' }] },
  ],
  ['run-parts /etc/cron.daily 2>&1', { ...daily, redirects: [{ kind: 'redirect', operator: '2>&1' }] }],
  ["run-parts /etc/cron.daily 2>> '/var/log/my log'", { ...daily, redirects: [to('2>>', '/var/log/my log')] }],
  ['run-parts>/dev/null /etc/cron.daily', { ...daily, redirects: [to('>', '/dev/null')] }],
  ['{ run-parts /etc/cron.daily; } >/dev/null', { ...daily, redirects: [to('>', '/dev/null')] }],
  ["'run-parts' /etc/cron.daily;", daily],
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
  ['run-parts', 'run-parts is given no folder'],
  // What is not done by run-parts.
  ['nice -n5;rm -f run-parts /a', 'does more than start run-parts'],
  ['nice -n$(id) run-parts /a', 'does more than start run-parts'],
  ['nice -n10&& run-parts /a', 'does more than start run-parts'],
  ['test -x /usr/sbin/anacron || cd / && run-parts /a', 'does more than start run-parts'],
  ['sh -c "run-parts /a"', 'does more than start run-parts'],
  ["su app -c 'run-parts /a'", 'does more than start run-parts'],
  ['`run-parts /a`', 'does more than start run-parts'],
  ['run-parts /a &', 'does more than start run-parts'],
  ['run-parts /a &> /tmp/x', 'does more than start run-parts'],
  ['{ run-parts /a; } | logger', 'does more than start run-parts'],
  ['{ run-parts /a', 'does more than start run-parts'],
  ['cd /a || run-parts /a', 'does more than start run-parts'],
  // What a shell would make of it.
  ['cd ~ && run-parts /a', 'does more than start run-parts'],
  ['run-parts -a ~/x /a', 'does more than start run-parts'],
  ['run-parts /etc/cron.[dw]aily', 'does more than start run-parts'],
  ['cd jobs && run-parts /a', 'it changes to the folder jobs'],
  ['run-parts cron.daily', 'run-parts is given cron.daily'],
  ['run-parts --report', 'run-parts is given no folder'],
  ['run-parts --test /etc/cron.daily', 'run-parts has the option --test'],
  ['run-parts -u u=rwx /etc/cron.daily', 'the umask of run-parts is "u=rwx"'],
])('%s is refused: %s', (command, why) => {
  expect(mentionsRunParts(command)).toBe(true);
  expect(() => readRunPartsCall(command)).toThrow(why);
});

test.each(['/usr/local/bin/my-run-parts.sh', 'echo run-partsy', 'prerun-parts /x'])(
  '%s is nothing of run-parts',
  (command) => {
    expect(mentionsRunParts(command)).toBe(false);
  },
);

test.each([
  `nice ${'-/nice '.repeat(5000)}x run-parts /y`,
  `run-parts /x ${'>a1'.repeat(5000)} |`,
  `run-parts ${"'".repeat(9999)}`,
  `run-parts ${'{ '.repeat(9999)}`,
])('a long line that is none is refused at once', (command) => {
  expect(() => readRunPartsCall(command)).toThrow('does more');
});
