import { HOUR, MINUTE, type TaskInput } from '@escapement/core';
import { saveTask } from '@escapement/operations';
import { by } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { cliDatabase, runCli } from './cli.ts';

const { db, env } = await cliDatabase();
const exported = (...args: string[]) => exportedFor(2, ...args);
const exportedFor = (days: number, ...args: string[]) =>
  runCli(['export', 'ical', '--from', '2027-10-30T00:00:00Z', '--days', String(days), ...args], { env });

const handler = { type: 'shell', command: 'true' } as const;
const nightly = { kind: 'cron', expression: '30 2 * * *', timeZone: 'Europe/Vienna' } as const;
const tasks: TaskInput[] = [
  { name: 'nightly', handler, schedule: nightly, labels: { team: 'books' } },
  { name: 'often', handler, schedule: { kind: 'every', everyMs: 5 * MINUTE }, labels: { team: 'shop' } },
  { name: 'by-hand', handler },
];
for (const task of tasks) await saveTask(db, task, { source: 'test', by: by('test') });
await db.pool.query(
  `INSERT INTO task_duration (task_id, runs, p50_ms, p95_ms) SELECT id, 40, $1, $2 FROM task WHERE name = 'nightly'`,
  [HOUR, 2 * HOUR],
);

test('what will run is an event each, as long as half of the runs of its task take at most', async () => {
  const { code, stdout, stderr } = await exported();
  expect(code).toBe(0);
  // The clock goes back in between.
  expect(stdout.match(/^DTSTART:.*$/gm)?.map((line) => line.trim())).toEqual([
    'DTSTART:20271030T003000Z',
    'DTSTART:20271031T003000Z',
  ]);
  expect(stdout).toMatch(/^DURATION:PT3600S\r$/m);
  expect(stdout).toMatch(/^SUMMARY:nightly\r$/m);
  expect(stdout).toContain('DESCRIPTION:at 02:30 every day\\npool default\\n');
  expect(stdout.startsWith('BEGIN:VCALENDAR\r\n')).toBe(true);
  expect(stdout.endsWith('END:VCALENDAR\r\n')).toBe(true);
  expect(stderr).toContain('2 occurrences from 2027-10-30T00:00:00.000Z on, for 2 days\n');
  expect(stderr).toContain('left out, due more often than 24 times a day (--most-a-day): often\n');
  expect(stderr).toContain('left out, due at no time that is known: by hand, after others, or after an end: by-hand\n');
});

test('the same occurrence has the same id each time, and tasks that run often are in it where that is asked for', async () => {
  const ids = (text: string) => text.match(/^UID:.*$/gm);
  const [once, again] = [await exported(), await exportedFor(3)];
  expect(ids(again.stdout)?.slice(0, 2)).toEqual(ids(once.stdout));
  const all = JSON.parse((await exported('--most-a-day', '288', '-o', 'json')).stdout);
  expect(all.events).toHaveLength(2 + 2 * 288);
  expect(all.left).toEqual({ tooOften: [], untimed: ['by-hand'], unplannable: [] });
  expect(ids((await exported('-l', 'team=shop')).stdout)).toBeNull();
});
