import { NAME } from '@escapement/core';
import { expect, test } from 'vitest';
import { nameTask } from './task-name.ts';

const nobody = () => false;
const slugOf = (command: string) => nameTask({ command }, 'a', nobody).replace(/-[0-9a-f]{6}$/, '');

test.each([
  ['/usr/local/bin/backup.sh', 'backup'],
  ['cd / && run-parts --report /etc/cron.hourly', 'run-parts-cron.hourly'],
  ['test -x /usr/sbin/anacron || ( cd / && run-parts --report /etc/cron.daily )', 'run-parts-cron.daily'],
  ['cd /var/www && php artisan schedule:run >> /dev/null 2>&1', 'artisan-schedule-run'],
  ['/usr/bin/python3 /opt/app/logger.py', 'logger'],
  ['curl -s https://example.com/a/b?c', 'curl-example.com'],
  ['PYTHONPATH=/x python /home/me/news.py', 'news'],
  ['echo hi', 'echo-hi'],
  ['bash', 'bash'],
  ['"$HOME/bin/cowtune"', 'cowtune'],
  ['🤔', 'cron'],
])('%s is called %s', (command, expected) => {
  expect(slugOf(command)).toBe(expected);
});

test('the same line of the same source has the same name, of another source, user or input another', () => {
  const names = [
    nameTask({ command: 'a' }, 's', nobody),
    nameTask({ command: 'a' }, 't', nobody),
    nameTask({ command: 'a', user: 'root' }, 's', nobody),
    nameTask({ command: 'a', stdin: 'x\n' }, 's', nobody),
  ];
  expect(new Set(names).size).toBe(4);
  expect(nameTask({ command: 'a' }, 's', nobody)).toBe(names[0]);
});

test('a name that is taken gets a number', () => {
  const first = nameTask({ command: 'a' }, 's', nobody);
  expect(nameTask({ command: 'a' }, 's', (name) => name === first)).toBe(`${first}-2`);
});

test('any command gives a name that core admits', () => {
  for (const command of ['..', '--', ' ', '((', 'ä'.repeat(500), 'x'.repeat(500), '[ -f /a ]', "'"])
    expect(nameTask({ command }, 's', nobody)).toMatch(NAME);
});
