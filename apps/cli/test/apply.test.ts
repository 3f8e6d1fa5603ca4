import { saveTask } from '@escapement/operations';
import { findTask } from '@escapement/store';
import { by } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { cliDatabase, folder, runCli } from './cli.ts';

const { db, env } = await cliDatabase();
const run = (...args: string[]) => runCli(args, { env });
const files = await folder();

const BACKUP = `
name: backup
schedule: { kind: cron, expression: 30 2 * * *, timeZone: Europe/Berlin }
handler: { type: shell, command: pg_dump shop }
`;
const REPORTS = `
tasks:
  - name: report
    handler: { type: shell, command: 'true' }
    schedule: { kind: every, everyMs: 3600000 }
  - name: cleanup
    handler: { type: shell, command: 'true' }
`;

test('a plan changes nothing; applied, the tasks are so; applied again, nothing changes', async () => {
  await files.write('backup.yaml', BACKUP);
  await files.write(
    'reports.json',
    JSON.stringify({ tasks: [{ name: 'ping', handler: { type: 'http', url: 'http://x/' } }] }),
  );
  await files.write('more.yml', REPORTS);
  const planned = await run('apply', '-f', files.path, '--plan');
  expect(planned.code).toBe(0);
  expect(planned.stdout).toContain('create backup: 7 fires added in the next 7 days');
  expect(planned.stdout.match(/clock change, \d{4}-\d\d-\d\d: the local time/g)).toHaveLength(2);
  expect(planned.stdout).toContain('create cleanup: no schedule, it runs when it is triggered\n');
  expect(planned.stdout).toMatch(/warning: a request that meets a broken connection.*maxAttempts: 3/);
  expect(await findTask(db, 'backup')).toBeNull();
  expect((await run('apply', '-f', files.path)).stdout.split('\n').filter(Boolean)).toHaveLength(4);
  expect(await findTask(db, 'backup')).toMatchObject({ source: 'files:default', version: 1 });
  expect(await run('apply', '-f', files.path)).toMatchObject({
    stdout: '',
    stderr: expect.stringContaining('4 tasks as the files say already'),
  });
});

test('an edit shows what moves, and what left the files is removed only with --prune', async () => {
  await files.write('backup.yaml', BACKUP.replace('30 2 * * *', '30 4 * * *'));
  await files.write('more.yml', REPORTS.split('  - name: cleanup')[0] ?? '');
  const { stdout, stderr } = await run('apply', '-f', files.path, '--plan');
  expect(stdout).toMatch(
    /^update backup \(schedule\): (1 fire added, 1 removed, 6|7 fires) moved in the next 7 days$/m,
  );
  expect(stdout).toMatch(/~ .* 02:30:00 .* -> .* 04:30:00/);
  expect(stderr).toContain('left as they are without --prune: cleanup');
  await run('apply', '-f', files.path);
  expect(await findTask(db, 'cleanup')).not.toBeNull();
  expect((await run('apply', '-f', files.path, '--prune')).stdout).toContain('delete cleanup');
  expect(await findTask(db, 'cleanup')).toBeNull();
});

test('a plan says of a date that has passed what the planner does: the task runs at once', async () => {
  const passed = await folder();
  const at = '2026-01-01T09:00:00Z';
  const once = { name: 'once', schedule: { kind: 'once', at }, handler: { type: 'shell', command: 'true' } };
  await passed.write('once.json', JSON.stringify(once));
  const words = /^create once: its date, 2026-01-01 .*, has passed: it runs at once$/m;
  expect((await run('apply', '-f', passed.path, '--set', 'once', '--plan')).stdout).toMatch(words);
  expect((await run('apply', '-f', passed.path, '--set', 'once')).stdout).toMatch(words);
  expect((await findTask(db, 'once'))?.nextRunAt).toEqual(new Date(at));
  await passed.write('once.json', JSON.stringify({ ...once, timeoutMs: 5000 }));
  expect((await run('apply', '-f', passed.path, '--set', 'once')).stdout).toContain(
    'update once (timeoutMs): it never fires',
  );
  expect((await findTask(db, 'once'))?.nextRunAt).toBeNull();
});

test.each([
  ['a mistyped key', 'name: a\nhandler: { type: shell, command: x }\ntimoutMs: 5\n', 'did you mean timeoutMs?'],
  [
    'a bad schedule',
    'name: a\nhandler: { type: shell, command: x }\nschedule: { kind: cron, expression: 0 0 30 2 *, timeZone: UTC }',
    '30',
  ],
  ['a bad key', 'name: a\nhandler: { type: shell, command: x }\nkey: "{{tenant}}"\n', 'use {{payload.field}}'],
  [
    'a bad value',
    'name: a\nhandler: { type: shell, command: x }\ntimeoutMs: 5s\n',
    'timeoutMs: expected a number, got "5s"',
  ],
  [
    "an address of the worker's own machine",
    'name: a\nhandler: { type: http, url: "http://2130706433:6379/" }\n',
    'rule "loopback" (127.0.0.0/8)',
  ],
  ['broken YAML', 'name: a\n  handler: [\n', 'Nested mappings'],
  ['a key twice', 'name: a\nname: b\n', 'unique'],
  ['something else', '- 5\n', 'the task'],
  ['a text', 'hello\n', 'neither a task'],
  ['a task twice', `${BACKUP}---${BACKUP}`, 'is in '],
  ['a follower that is not there', `${BACKUP}then: [{ task: bakcup-report }]\n`, 'names "bakcup-report"'],
  [
    'a circle',
    'tasks:\n  - { name: a, handler: { type: shell, command: x }, onSkip: b }\n  - { name: b, handler: { type: shell, command: x }, onSkip: a }\n',
    'a -> b -> a',
  ],
])('%s is told with its place, and nothing is written', async (_, text, words) => {
  const other = await folder();
  const good = 'name: untouched\nhandler: { type: shell, command: x }\n';
  const file = await other.write('bad.yaml', text);
  await other.write('good.yaml', good);
  const { code, stdout } = await run('apply', '-f', other.path);
  expect(code).toBe(2);
  expect(stdout).toContain(`${file}:`);
  expect(stdout).toContain(words);
  expect(await findTask(db, 'untouched')).toBeNull();
});

test('a task of another source is taken over only with --adopt', async () => {
  await saveTask(
    db,
    { name: 'coded', handler: { type: 'shell', command: 'true' } },
    { source: 'code', by: by('worker') },
  );
  const input = 'name: coded\nhandler: { type: shell, command: date }\n';
  const args = ['apply', '-f', '-', '--set', 'adopting'];
  expect(await runCli(args, { env, input })).toMatchObject({
    code: 2,
    stdout: expect.stringContaining('belongs to code'),
  });
  expect((await runCli([...args, '--adopt'], { env, input })).code).toBe(0);
  expect(await findTask(db, 'coded')).toMatchObject({ source: 'files:adopting' });
});

test('what is not there, or empty, is told', async () => {
  expect(await run('apply', '-f', 'nowhere.yaml')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('no such file'),
  });
  expect(await run('apply', '-f', (await folder()).path)).toMatchObject({ code: 2 });
  expect(await run('apply')).toMatchObject({ code: 2, stderr: expect.stringContaining('--file') });
});

test('tasks that follow others are saved first, and deleted last; one that another set names is not deleted', async () => {
  const own = await folder();
  const args = ['apply', '-f', own.path, '--set', 'chain'];
  const shell = 'handler: { type: shell, command: x }';
  await own.write(
    'chain.yaml',
    `tasks:\n  - { name: c1, ${shell}, then: [{ task: c2 }] }\n  - { name: c2, ${shell}, onFailure: c3 }\n  - { name: c3, ${shell} }\n`,
  );
  expect((await run(...args)).code).toBe(0);
  const guest = { name: 'guest', handler: { type: 'shell', command: 'true' }, onSkip: 'c3' } as const;
  await saveTask(db, guest, { source: 'code', by: by('worker') });
  await own.write('chain.yaml', `{ name: c0, ${shell} }`);
  expect(await run(...args, '--prune')).toMatchObject({ code: 2, stderr: expect.stringContaining('guest (onSkip)') });
  expect(await findTask(db, 'c1')).not.toBeNull();
  expect((await run('tasks', 'delete', 'guest')).code).toBe(0);
  expect((await run(...args, '--prune')).code).toBe(0);
  expect(await findTask(db, 'c3')).toBeNull();
});

const BOMB = [
  'a: &a0 [x, x, x, x, x, x, x, x, x]',
  ...Array.from({ length: 9 }, (_, n) => `b${n}: &a${n + 1} [${`*a${n}, `.repeat(9)}]`),
];

test.each([
  [
    'a bomb of aliases',
    `name: bomb\nhandler: { type: shell, command: x }\npayload:\n  ${BOMB.join('\n  ')}\n`,
    'aliases',
  ],
  ['an alias of nothing', 'name: a\nhandler: { type: shell, command: x }\npayload: *nothing\n', 'nothing'],
  ['nesting without end', `name: a\npayload: ${'['.repeat(200_000)}\n`, 'nested too deep'],
  [
    'a key that reaches a prototype',
    '{ "name": "a", "handler": { "type": "http", "url": "https://x.example", "body": { "__proto__": {} } } }',
    '__proto__',
  ],
  [
    'a header that HTTP sets',
    '{ "name": "a", "handler": { "type": "http", "url": "https://x.example", "headers": { "hOsT": "y" } } }',
    'not set by HTTP itself',
  ],
])('%s is a mistake of the file, told with its place', async (_, text, words) => {
  const file = await (await folder()).write('bad.yaml', text);
  const { code, stdout, stderr } = await run('apply', '-f', file);
  expect({ code, stdout, stderr }).toMatchObject({ code: 2, stdout: expect.stringContaining(words) });
  expect(stdout).toContain(`${file}:`);
});

test('a file that is too long is not read to its end', async () => {
  const file = await (await folder()).write('long.yaml', '# '.repeat(6_000_000));
  const { code, stderr } = await run('apply', '-f', file);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('is longer than 10485760 bytes') });
  expect(await run('import', 'crontab', '/dev/zero')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('longer'),
  });
});
