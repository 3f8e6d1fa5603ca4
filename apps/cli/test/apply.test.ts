import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { saveTask } from '@escapement/operations';
import { findTask } from '@escapement/store';
import { by } from '@escapement/testkit';
import { describe, expect, test } from 'vitest';
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
  const applied = await run('apply', '-f', files.path);
  expect(applied.stdout.split('\n').filter(Boolean)).toHaveLength(4);
  expect(applied.stderr).toBe('4 created\n');
  expect(await findTask(db, 'backup')).toMatchObject({ source: 'files:default', version: 1 });
  expect(await run('apply', '-f', files.path)).toMatchObject({
    stdout: '',
    stderr: '4 as the files say already\n',
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
  const plan = (await run('apply', '-f', passed.path, '--set', 'once', '--plan')).stdout;
  expect(plan).toMatch(words);
  expect(plan).not.toContain('does not fire after');
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
  expect((await run(...args, '--prune', '--allow-prune', '3')).code).toBe(0);
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
  ['an alias of what it is a part of', 'name: &own [1, *own]\n', 'is a part of'],
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

describe('--prune of a whole set, or of more than half of it', () => {
  const shell = 'handler: { type: shell, command: x }';
  async function setOf(set: string, names: readonly string[]) {
    const own = await folder();
    const write = (kept: readonly string[]) =>
      own.write('all.yaml', `tasks: [${kept.map((name) => `{ name: ${name}, ${shell} }`).join(', ')}]\n`);
    const args = ['apply', '-f', await write(names), '--set', set];
    expect((await run(...args)).code).toBe(0);
    return { write, args: [...args, '--prune'] };
  }

  test('is refused where nobody is there to ask, and a plan says so', async () => {
    const { write, args } = await setOf('wiped', ['w1', 'w2', 'w3']);
    await write([]);
    const planned = await run(...args, '--plan');
    expect(planned).toMatchObject({ code: 0, stderr: expect.stringContaining('if that is meant: --allow-prune 3') });
    expect(await run(...args)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/deletes 3 of the 3 tasks of the set "wiped": w1, w2, w3; nothing was changed/),
    });
    expect(await run(...args, '--allow-prune', '2')).toMatchObject({ code: 2 });
    expect(await findTask(db, 'w1')).not.toBeNull();
    expect(await run(...args, '--allow-prune', '3')).toMatchObject({ code: 0, stderr: '3 deleted\n' });
    expect(await findTask(db, 'w1')).toBeNull();
  });

  test('is asked of somebody at the terminal', async () => {
    const { write, args } = await setOf('asked', ['q1', 'q2', 'q3']);
    await write(['q1']);
    const asked: string[] = [];
    const answering = (answer: boolean) => (question: string) => {
      asked.push(question);
      return Promise.resolve(answer);
    };
    expect((await runCli(args, { env, confirm: answering(false) })).code).toBe(2);
    expect(await findTask(db, 'q2')).not.toBeNull();
    expect((await runCli(args, { env, confirm: answering(true) })).code).toBe(0);
    expect(await findTask(db, 'q2')).toBeNull();
    expect(asked).toEqual(
      Array(2).fill('pruning deletes 2 of the 3 tasks of the set "asked": q2, q3. Delete them? [y/N] '),
    );
  });

  test('half of it goes without a word', async () => {
    const { write, args } = await setOf('halved', ['h1', 'h2']);
    await write(['h1']);
    expect(await run(...args)).toMatchObject({ code: 0, stderr: '1 as the files say already, 1 deleted\n' });
  });
});

test('all problems are told at once, in the order of files and lines, with the task', async () => {
  const own = await folder();
  const shell = 'handler: { type: shell, command: x }';
  const limited = { name: 'limited', key: 'shared', handler: { type: 'shell', command: 'true' } } as const;
  await saveTask(db, limited, { source: 'code', by: by('worker') });
  const first = await own.write(
    'a.yaml',
    `tasks:\n- { name: p1, ${shell}, calendars: { exclude: [holidays] } }\n- { name: p2, ${shell}, timoutMs: 5 }\n- { name: p1, ${shell} }\n`,
  );
  const second = await own.write('b.yaml', `- { name: p3, ${shell}, key: shared, limit: 2 }\n`);
  const third = await own.write('c.yaml', 'name: broken\n  handler: [\n');
  const { code, stdout } = await run('apply', '-f', own.path, '-o', 'json');
  const { problems }: { problems: { file: string; line: number; message: string }[] } = JSON.parse(stdout);
  expect(code).toBe(2);
  expect(problems.slice(0, 4)).toEqual([
    { file: first, line: 2, message: expect.stringContaining('task p1: there is no calendar "holidays"; ') },
    { file: first, line: 3, message: expect.stringContaining('did you mean timeoutMs?') },
    { file: first, line: 4, message: expect.stringContaining('task p1 is in') },
    { file: second, line: 1, message: expect.stringContaining('task p3 asks for limit 2 on key "shared"') },
  ]);
  expect(problems.slice(4).map(({ file }) => file)).toEqual(problems.slice(4).map(() => third));
  expect(problems.length).toBeGreaterThan(4);
});

test('a file that is not UTF-8 is refused with file and line, as are those of other commands', async () => {
  const own = await folder();
  const file = join(own.path, 'latin1.yaml');
  await writeFile(file, Buffer.from('name: latin\nhandler: { type: shell, command: "echo caf\xe9" }\n', 'latin1'));
  const { code, stdout } = await run('apply', '-f', own.path);
  expect({ code, stdout }).toEqual({ code: 2, stdout: expect.stringMatching(/latin1\.yaml:2 +it is not UTF-8/) });
  expect(await findTask(db, 'latin')).toBeNull();
  expect(await run('calendars', 'set', 'latin', file)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`${file}, line 2: it is not UTF-8`),
  });
});

test('a plan counts all fires of a dense schedule, and says where it stops', async () => {
  const input = '{ name: dense, schedule: { kind: every, everyMs: 1000 }, handler: { type: shell, command: x } }';
  const plan = ['apply', '-f', '-', '--set', 'dense', '--plan'];
  const { stdout } = await runCli(plan, { env, input });
  expect(stdout).toMatch(/^create dense: 604800 fires added in the next 7 days$/m);
  expect(stdout).toContain('and 604795 more added');
  const year = (await runCli([...plan, '--days', '366'], { env, input })).stdout;
  expect(year).toMatch(/^create dense: 10000000 fires added until \d{4}-\d\d-\d\d .*, and more in the next 366 days$/m);
  expect(year).toContain('and at least 9999995 more added');
});

test('tasks of the files that ask for different limits or rates of a key are told before anything is saved, both with their place', async () => {
  const own = await folder();
  const file = (limit: number, perMs: number) => `
tasks:
  - { name: key-a, key: of-both, limit: 1, handler: { type: shell, command: 'true' }, rate: { limit: 1, perMs: 1000, key: smtp } }
  - { name: key-b, key: of-both, limit: ${limit}, handler: { type: shell, command: 'true' }, rate: { limit: 1, perMs: ${perMs}, key: smtp } }
`;
  await own.write('keys.yaml', file(2, 2000));
  for (const more of [['--plan'], []]) {
    const { code, stdout } = await run('apply', '-f', own.path, ...more);
    expect(code).toBe(2);
    expect(stdout).toMatch(
      /keys\.yaml:4 +task key-b asks for limit 2 on key "of-both", task key-a for 1; .*\(key-a is in \S*keys\.yaml:3\)/,
    );
    expect(stdout).toMatch(
      /keys\.yaml:4 +task key-b asks for 1 start in 2 s under the rate's key "smtp", task key-a for 1 start in 1 s;/,
    );
  }
  expect(await findTask(db, 'key-a')).toBeNull();
});

test('the limit and the rate of a key are changed for all its tasks by one apply', async () => {
  const own = await folder();
  const of = (name: string, limit: number) =>
    `- { name: ${name}, key: common, limit: ${limit}, handler: { type: shell, command: 'true' }, rate: { limit: ${limit}, perMs: 1000, key: all } }\n`;
  const apply = async (...tasks: string[]) => {
    await own.write('common.yaml', tasks.join(''));
    return await run('apply', '-f', own.path, '--set', 'common');
  };
  expect((await apply(of('common-a', 1), of('common-b', 1))).stderr).toBe('2 created\n');
  expect((await apply(of('common-a', 3), of('common-b', 3))).stderr).toBe('2 updated\n');
  expect((await apply(of('common-a', 2))).stdout).toContain('task common-b for 3');
});
