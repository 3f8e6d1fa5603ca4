import { expect, test } from 'vitest';
import { maskArguments, maskCommand } from './mask-command.ts';

test.each([
  ["PGPASSWORD='s3 cret' psql -h db", 'PGPASSWORD=*** psql -h db'],
  ['DB_PASS=s3cret X_AUTH=s3cret run', 'DB_PASS=*** X_AUTH=*** run'],
  ['deploy --token s3cret --api-key="s3cret"', 'deploy --token *** --api-key=***'],
  ['curl -u admin:s3cret https://x.example', 'curl -u admin:*** https://x.example'],
  ["curl --user 'admin:s3cret' x", "curl --user 'admin:***' x"],
  ["curl -H 'X-Api-Key: s3cret' x", "curl -H 'X-Api-Key: ***' x"],
  ['mysqldump -h db -u root -ps3cret shop', 'mysqldump -h db -u root -p*** shop'],
  ['sshpass -p s3cret ssh host', 'sshpass -p *** ssh host'],
  ['redis-cli -h r -a s3cret ping', 'redis-cli -h r -a *** ping'],
  ['mkdir -p a/b && id -u app:x', 'mkdir -p a/b && id -u app:***'],
  ['author=ann sort --key 2 --compass north', 'author=ann sort --key 2 --compass north'],
  ['date +%F; mysql -p shop', 'date +%F; mysql -p shop'],
])('%s', (command, shown) => expect(maskCommand(command)).toBe(shown));

test('words of a program without a shell', () => {
  expect(maskArguments(['deploy', '--password', 's3cret', '-v', '--token=s3cret'])).toEqual([
    'deploy',
    '--password',
    '***',
    '-v',
    '--token=***',
  ]);
});

test.each([
  ['options', ' --a'.repeat(250_000)],
  ['assignments', 'a-=='.repeat(250_000)],
  ['users', ' -u a'.repeat(200_000)],
  ['programs', ' mysql'.repeat(160_000)],
  ['caches', ' redis-cli -b'.repeat(80_000)],
])('a megabyte of %s is read in one go', (_, text) => {
  const start = process.cpuUsage();
  maskCommand(text);
  const { user, system } = process.cpuUsage(start);
  expect((user + system) / 1000).toBeLessThan(10_000);
});
