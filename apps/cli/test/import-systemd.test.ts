import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { findTask, listTasks } from '@escapement/store';
import { expect, test } from 'vitest';
import { cliDatabase, folder, overHttp, runCli } from './cli.ts';

const { env, db } = await cliDatabase();
const { path: root } = await folder();
const SERVICE = '[Service]\nType=oneshot\nUser=jobs\nExecStart=/usr/bin/backup --full\n';

/** A folder of units. */
async function unitsIn(name: string, units: { [name: string]: string }): Promise<string> {
  for (const [unit, text] of Object.entries(units)) {
    const path = join(root, name, unit);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
  return join(root, name);
}

const run = async (...args: string[]) => await runCli(['import', 'systemd', ...args, '--tz', 'Europe/Berlin'], { env });
const actionsOf = ({ stdout }: { stdout: string }) =>
  JSON.parse(stdout).tasks.map(({ action }: { action: string }) => action);

test('timers are shown, written with --write, and unchanged the next time', async () => {
  const units = await unitsIn('shown', {
    'night.timer': '[Timer]\nOnCalendar=Mon..Fri 02:30\nPersistent=yes\n',
    'night.service': `${SERVICE}Nice=19\n`,
    'poll.timer': '[Timer]\nOnBootSec=1min\nOnUnitActiveSec=5min\n',
    'poll.service': SERVICE,
    'poll.service.d/cwd.conf': '[Service]\nWorkingDirectory=/srv\n',
    'broken.timer': '[Timer]\nOnCalendar=tea time\n',
  });
  const args = [units, '--source', 'shown', '--pool', 'web1'];
  const shown = await run(...args);
  expect(shown).toMatchObject({ code: 0, stderr: '' });
  expect(shown.stdout).toMatch(/night\.timer +at 02:30 on Monday to Friday +Europe\/Berlin .* create +night +1$/m);
  expect(shown.stdout).toMatch(/broken\.timer refused: OnCalendar=tea time cannot be read at "tea"/);
  expect(shown.stdout).toContain('not taken over (night): Nice: wrap the command');
  expect(shown.stdout).toContain('systemd:shown: 2 to create, 0 to update, 0 unchanged, 1 refused. Nothing is written');
  expect(await listTasks(db, { source: 'systemd:shown' })).toEqual([]);
  expect((await run(...args, '--write')).stdout).toContain('2 created, 0 updated');
  expect(await listTasks(db, { source: 'systemd:shown' })).toMatchObject([
    { name: 'night', definition: { pool: 'web1', catchUp: { policy: 'latest' }, timeoutMs: 86_400_000 } },
    { name: 'poll', definition: { schedule: { everyMs: 300_000 }, handler: { cwd: '/srv' } } },
  ]);
  expect((await run(...args, '--write')).stdout).toContain('0 created, 0 updated, 2 unchanged, 1 refused.');
});

test('an edited unit updates its task; what units cannot say stays as people have set it', async () => {
  const units = (time: string) =>
    unitsIn('edited', { 'edited.timer': `[Timer]\nOnCalendar=${time}\n`, 'edited.service': SERVICE });
  const args = [await units('02:30'), '--source', 'edited', '--write', '-o', 'json'];
  expect(actionsOf(await run(...args))).toEqual(['created']);
  await runCli(['tasks', 'edit', 'edited', '--set', 'timeoutMs=5000', '--set', 'description=mine'], { env });
  await units('03:30');
  const plan = await run(args[0] ?? '', '--source', 'edited');
  expect(plan.stdout).toMatch(/edited: warning: would undo what \S+ edited at \S+ \(description\)/);
  expect(actionsOf(await run(...args))).toEqual(['updated']);
  const task = await findTask(db, 'edited');
  expect(task?.definition).toMatchObject({ timeoutMs: 5000, schedule: { expression: '30 3 * * *' } });
  expect(task?.definition.description).toBeUndefined();
});

test('a timer that is gone is told of, and its task deleted with --prune only', async () => {
  const gone = await unitsIn('gone', {
    'one.timer': '[Timer]\nOnCalendar=daily\n',
    'one.service': SERVICE,
    'two.timer': '[Timer]\nOnCalendar=daily\n',
    'two.service': SERVICE,
  });
  await run(gone, '--source', 'gone', '--write');
  const one = join(gone, 'one.timer');
  expect((await run(one, '--source', 'gone', '--write')).stdout).toContain('no more there: two; --prune deletes it');
  expect((await run(one, '--source', 'gone', '--write', '--only', 'one')).stdout).toContain('1 unchanged');
  expect((await run(one, '--source', 'gone', '--write', '--prune')).stdout).toContain('deleted: two');
  expect(await findTask(db, 'two')).toBeNull();
});

test('a name that another source has is refused with all others, and nothing is written; --prefix helps', async () => {
  const units = { 'twin.timer': '[Timer]\nOnCalendar=daily\n', 'twin.service': SERVICE };
  await run(await unitsIn('web1', units), '--source', 'web1', '--write');
  const web2 = await unitsIn('web2', { ...units, 'new.timer': '[Timer]\nOnCalendar=daily\n', 'new.service': SERVICE });
  const refused = await run(web2, '--source', 'web2', '--write');
  expect(refused.code).toBe(2);
  expect(refused.stdout).toMatch(/twin refused: task twin belongs to systemd:web1; --adopt/);
  expect(refused.stdout).toContain('Nothing is written: correct what is refused.');
  expect(await listTasks(db, { source: 'systemd:web2' })).toEqual([]);
  expect((await run(web2, '--source', 'web2', '--prefix', 'web2/', '--write')).stdout).toContain('2 created');
  expect(await findTask(db, 'web2/twin')).not.toBeNull();
});

test('with --strict a loss stops everything', async () => {
  const strict = await unitsIn('strict', {
    'strict.timer': '[Timer]\nOnCalendar=daily\nWakeSystem=yes\n',
    'strict.service': SERVICE,
  });
  const { code, stdout } = await run(strict, '--strict', '--write');
  expect([code, stdout]).toEqual([2, expect.stringContaining('Nothing is written: --strict, and 1 bad one.')]);
  expect(await findTask(db, 'strict')).toBeNull();
});

test.each([
  [['/nowhere'], /\/nowhere is neither a folder nor a \.timer/],
  [['/nowhere/a.timer'], /\/nowhere cannot be read: ENOENT/],
  [['.', '--source', 'a b'], /--source is "a b"/],
  [['.', '--prefix', '/x'], /--prefix is "\/x"/],
  [['.', '--only', 'a,,b'], /--only has ""/],
])('%s is wrong usage', async (args, reason) => {
  expect(await run(...args)).toMatchObject({ code: 2, stderr: expect.stringMatching(reason) });
});

test.skipIf(overHttp)('without a server it is shown what would be made', async () => {
  const units = await unitsIn('alone', { 'alone.timer': '[Timer]\nOnCalendar=daily\n', 'alone.service': SERVICE });
  const { code, stdout, stderr } = await runCli(['import', 'systemd', units], { env: {} });
  expect([code, stderr]).toEqual([0, expect.stringContaining('not compared')]);
  expect(stdout).toContain('and nothing compared: add --write');
});
