import { listTasks } from '@escapement/store';
import { expect, test } from 'vitest';
import { cliDatabase, folder, overHttp, type Ran, runBin, runCli } from './cli.ts';

const { db, env } = await cliDatabase();
const files = await folder();

const CRONTAB = `SHELL=/bin/bash
CRON_TZ=Europe/Berlin
# Nightly
30 2 * * mon-fri /usr/bin/backup --full
*/5 * * * * /usr/bin/poll
`;

async function sourceTasks(source: string) {
  return await listTasks(db, { source: `crontab:${source}` });
}

function actions({ stdout }: Ran): string[] {
  const { lines }: { lines: { action: string }[] } = JSON.parse(stdout);
  return lines.map(({ action }) => action);
}

async function importText(content: string, source: string, ...options: string[]): Promise<Ran> {
  return await runCli(['import', 'crontab', '-', '--source', source, '-o', 'json', ...options], {
    env,
    input: content,
  });
}

test('without --write the table is shown and nothing is changed, also without a database', async () => {
  const file = await files.write('dry.cron', CRONTAB);
  for (const environment of [env, {}]) {
    const { code, stdout } = await runCli(['import', 'crontab', file], { env: environment });
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^ *4 {2}at 02:30 on Monday to Friday +Europe\/Berlin +\d{4}-\d\d-\d\d 02:30:00 \+0[12]:00 +create /m,
    );
    expect(stdout).toContain('2 to create, 0 to update, 0 unchanged, 0 refused. Nothing is written');
  }
  expect(await listTasks(db)).toEqual([]);
});

test('a file is imported with --write, and a second time nothing changes', async () => {
  const file = await files.write('crontab', CRONTAB);
  const first = await runBin(['import', 'crontab', file, '--write'], { env });
  expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining('2 created, 0 updated') });
  const tasks = await sourceTasks(file);
  expect(tasks.map(({ definition }) => definition)).toMatchObject([
    {
      description: 'Nightly',
      schedule: { kind: 'cron', expression: '30 2 * * mon-fri', dialect: 'vixie', timeZone: 'Europe/Berlin' },
      handler: { type: 'shell', command: '/usr/bin/backup --full', shell: '/bin/bash' },
    },
    { handler: { command: '/usr/bin/poll' } },
  ]);
  expect(tasks.every(({ nextRunAt }) => nextRunAt !== null)).toBe(true);
  const second = await runCli(['import', 'crontab', file, '--write'], { env });
  expect(second.stdout).toContain('0 created, 0 updated, 2 unchanged, 0 refused.');
  expect((await sourceTasks(file)).map(({ version }) => version)).toEqual([1, 1]);
});

test('with --lines only these are written; the others stay for another time', async () => {
  const own = CRONTAB.replaceAll('/usr/bin', '/srv');
  const some = await importText(own, 'by-line', '--write', '--lines', '5');
  expect(actions(some)).toEqual(['left', 'created']);
  expect((await sourceTasks('by-line')).map(({ definition }) => definition.handler)).toMatchObject([
    { command: '/srv/poll' },
  ]);
  const all = await importText(own, 'by-line', '--write', '--lines', '4-5');
  expect(actions(all)).toEqual(['created', 'unchanged']);
  for (const lines of ['3', '4,6']) {
    const refused = await importText(own, 'by-line', '--write', '--lines', lines);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('becomes no task') });
  }
});

test('a changed line updates its task, which keeps its name', async () => {
  const crontab = CRONTAB.replaceAll('/usr/bin', '/opt');
  await importText(crontab, 'changed', '--write');
  const before = await sourceTasks('changed');
  const edited = crontab.replace('30 2', '45 3').replace('/opt/poll', '/opt/poll --fast');
  expect(actions(await importText(edited, 'changed'))).toEqual(['update', 'update']);
  expect(actions(await importText(edited, 'changed', '--write'))).toEqual(['updated', 'updated']);
  const after = await sourceTasks('changed');
  expect(after.map(({ name }) => name)).toEqual(before.map(({ name }) => name));
  expect(after.map(({ version }) => version)).toEqual([2, 2]);
  expect(actions(await importText(edited, 'changed', '--write'))).toEqual(['unchanged', 'unchanged']);
});

test('a line that is gone is reported, and its task deleted with --prune only', async () => {
  await importText('0 1 * * * /bin/one\n0 2 * * * /bin/two\n', 'pruned', '--write');
  const less = '0 1 * * * /bin/one\n';
  const reported = await runCli(['import', 'crontab', '-', '--source', 'pruned', '--write'], { env, input: less });
  expect(reported.stdout).toMatch(
    /no more in the file: two-\w+ \(at 02:00 every day: \/bin\/two\); --prune deletes it/,
  );
  expect(await sourceTasks('pruned')).toHaveLength(2);
  const dry = await importText(less, 'pruned', '--prune');
  expect(JSON.parse(dry.stdout)).toMatchObject({ written: false, removed: [{ deleted: false }] });
  expect(await sourceTasks('pruned')).toHaveLength(2);
  const pruned = await importText(less, 'pruned', '--write', '--prune');
  expect(JSON.parse(pruned.stdout)).toMatchObject({ removed: [{ deleted: true, command: '/bin/two' }] });
  expect(await sourceTasks('pruned')).toHaveLength(1);
});

const BAD = '0 1 * * * /bin/good\nnonsense\n0 0 31 2 * /bin/never\n';

test('a bad line is reported with number, text and reason, and stops nothing', async () => {
  const { code, stdout } = await runCli(['import', 'crontab', '-', '--source', 'bad', '--write'], { env, input: BAD });
  expect(code).toBe(0);
  expect(stdout).toMatch(/^line 2 refused: nonsense\n {4}neither NAME=value nor a schedule/m);
  expect(stdout).toMatch(/^line 3 refused: 0 0 31 2 \* \/bin\/never\n {4}the date "31 2 \*" never comes/m);
  expect(await sourceTasks('bad')).toHaveLength(1);
});

test('with --strict a bad line stops everything', async () => {
  const { code, stdout } = await runCli(['import', 'crontab', '-', '--source', 'strict', '--write', '--strict'], {
    env,
    input: BAD,
  });
  expect(code).toBe(2);
  expect(stdout).toContain('Nothing is written: --strict, and 2 bad lines.');
  expect(await sourceTasks('strict')).toEqual([]);
});

test('a system crontab is read with its user column', async () => {
  await importText('17 * * * * nobody cd / && run\n', 'system', '--system', '--write');
  expect((await sourceTasks('system'))[0]?.definition.handler).toMatchObject({
    user: 'nobody',
    command: 'cd / && run',
  });
});

test('a line whose command another file has is made, with a note that names the other', async () => {
  await importText('0 8 * * * /bin/cousin\n', 'cousin-a', '--write');
  const other = await importText('0 9 * * * /bin/cousin\n', 'cousin-b');
  expect(actions(other)).toEqual(['create']);
  expect(JSON.parse(other.stdout).notes.join()).toContain('--source cousin-a');
});

test('zone and pool may be given, and --pool stays when it is not repeated', async () => {
  await importText('0 5 * * * /bin/zoned\n', 'zoned', '--write', '--tz', 'Asia/Tokyo', '--pool', 'db1');
  const again = await importText('0 5 * * * /bin/zoned\n', 'zoned', '--write', '--tz', 'Asia/Tokyo');
  expect(actions(again)).toEqual(['unchanged']);
  expect((await sourceTasks('zoned'))[0]?.definition).toMatchObject({
    pool: 'db1',
    schedule: { timeZone: 'Asia/Tokyo' },
  });
});

test('the same line from another file is not made twice', async () => {
  await importText('0 6 * * * /bin/twin\n', 'twin-a', '--write');
  const other = await importText('0 6 * * * /bin/twin\n', 'twin-b', '--write');
  expect(actions(other)).toEqual(['duplicate']);
  expect(JSON.parse(other.stdout).notes.join()).toContain('--source twin-a');
  expect(await sourceTasks('twin-b')).toEqual([]);
});

test('the notes say that nobody is told where no mail is configured', async () => {
  const mailed = 'MAILTO=ops@example.com\n0 7 * * * /bin/mailed\n';
  const notes = async (environment: Record<string, string>, content: string): Promise<string> => {
    const { stdout } = await runCli(['import', 'crontab', '-', '-o', 'json'], { env: environment, input: content });
    return JSON.parse(stdout).notes.join('\n');
  };
  expect(await notes(env, mailed)).toContain('no mail server is configured here');
  expect(await notes(env, '0 7 * * * /bin/silent\n')).toContain('nobody hears of failures');
  const mail = { ...env, ESCAPEMENT_SMTP_URL: 'smtp://mail', ESCAPEMENT_MAIL_FROM: 'a@example.com' };
  expect(await notes(mail, mailed)).not.toContain('mail server');
});

test('what may not be meant by a line is noted at it, changes of the clock once', async () => {
  const content = 'CRON_TZ=Europe/Berlin\n0 9 1-7 * 1 /bin/first\n30 2 * * * /bin/night\n45 2 * * * /bin/late\n';
  const { stdout } = await runCli(['import', 'crontab', '-', '-o', 'json'], { env: {}, input: content });
  const { lines, notes }: { lines: { notes: string[] }[]; notes: string[] } = JSON.parse(stdout);
  expect(lines.map((line) => line.notes)).toEqual([
    [expect.stringMatching(/^this is not the first Monday of the month/)],
    [],
    [],
  ]);
  expect(notes.filter((note) => note.includes('clock'))).toEqual([
    expect.stringMatching(/^2 lines \(3, 4\) fall on a local/),
  ]);
});

/** Over HTTP it is the token that acts. */
const ANN = overHttp ? 'cli-test' : 'ann';

test('what a person has edited, and the file takes back, is named by the plan and by the import', async () => {
  const args = ['import', 'crontab', '-', '--source', 'edited'];
  await runCli([...args, '--write'], { env, input: '0 1 * * * /bin/nightly\n' });
  const { lines } = JSON.parse(
    (await runCli([...args, '-o', 'json'], { env, input: '0 1 * * * /bin/nightly\n' })).stdout,
  );
  const name: string = lines[0].task;
  const actor = { ...env, ESCAPEMENT_ACTOR: 'ann' };
  await runCli(['tasks', 'edit', name, '--set', 'description=mine', '--reason', 'so it is found'], { env: actor });
  await runCli(['tasks', 'edit', name, '--set', 'timeoutMs=5000'], { env: actor });
  const again = (...more: string[]) => runCli([...args, ...more], { env, input: '0 1 * * * /bin/nightly\n' });
  expect((await again()).stdout).toMatch(
    new RegExp(`warning: would undo what ${ANN} edited at \\S+Z \\(description\\): "so it is found"; version 2 has it`),
  );
  const json = JSON.parse((await again('-o', 'json')).stdout);
  expect(json.lines[0].undoes).toMatchObject([{ by: ANN, fields: ['description'], version: 2 }]);
  const written = (await again('--write')).stdout;
  expect(written).toMatch(new RegExp(`warning: undid what ${ANN} edited at \\S+Z \\(description\\)`));
  expect(written).not.toContain('timeoutMs');
  expect((await again()).stdout).not.toContain('warning: would undo');
});
