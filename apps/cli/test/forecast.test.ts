import { HOUR, MINUTE, SECOND, type TaskInput } from '@escapement/core';
import { freezeFleet, pauseTask, saveTask } from '@escapement/operations';
import { writeHeartbeat } from '@escapement/store';
import { by } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { cliDatabase, runCli } from './cli.ts';

const { db, env } = await cliDatabase();
// The day on which clocks go back in Vienna, a year from which no task of this test is in force yet.
const FROM = '2027-10-31T00:00:00+02:00';
const forecast = (...args: string[]) => runCli(['forecast', '--from', FROM, '--tz', 'Europe/Vienna', ...args], { env });
const found = async (...args: string[]) => JSON.parse((await forecast('-o', 'json', ...args)).stdout);

const cron = (expression: string) => ({ kind: 'cron', expression, timeZone: 'Europe/Vienna' }) as const;

async function save(name: string, given: Partial<TaskInput>, tookMs?: [p50: number, p95: number]): Promise<void> {
  const handler = { type: 'shell', command: 'true' } as const;
  await saveTask(db, { name, handler, ...given }, { source: 'test', by: by('test') });
  if (tookMs)
    await db.pool.query(
      `INSERT INTO task_duration (task_id, runs, p50_ms, p95_ms) SELECT id, 40, $2, $3 FROM task WHERE name = $1`,
      [name, ...tookMs],
    );
}

await save('hourly', { schedule: cron('0 * * * *') }, [10 * MINUTE, 20 * MINUTE]);
await save('nightly', { schedule: cron('30 3 * * *'), pool: 'db' }, [2 * HOUR, 3 * HOUR]);
await save('often', { schedule: { kind: 'every', everyMs: 5 * MINUTE }, key: 'often' }, [SECOND, 7 * MINUTE]);
await save('new', { schedule: cron('15 12 * * *') });
await save('by-hand', { schedule: { kind: 'manual' } });
const worker = { id: 'w1', role: 'worker', host: 'h', pid: 1, appVersion: '1' } as const;
await writeHeartbeat(db, { ...worker, pools: ['default'], concurrency: 1 }, { activeRuns: [], clockOffsetMs: 0 });

test('what starts, and is at work at once, is shown by the hour of the zone, which that day has twice', async () => {
  const { stdout, stderr, code } = await forecast('--days', '1');
  expect(code).toBe(0);
  const lines = stdout.split('\n');
  expect(lines[0]).toMatch(/^FROM +STARTS +AT ONCE +AT MOST/);
  expect(lines.filter((line) => line.startsWith('2027-10-31 02:00'))).toHaveLength(2);
  expect(lines[1]).toMatch(/^2027-10-31 00:00 +13 +2 +3 +█+░+$/);
  expect(stderr).toContain(
    '314 runs of 4 tasks from 2027-10-30T22:00:00Z to 2027-10-31T22:00:00Z, lines in Europe/Vienna',
  );
  expect(stderr).toContain('2027-10-31: the clock of Europe/Vienna goes from 03:00 to 02:00\n');
  expect(stderr).toContain('so they are in STARTS alone: new (1 run)');
  expect(stderr).toContain('start at no time that is known, but by hand, after others, or after an end: 1 task\n');
});

test('pools and keys of which more is wanted than there may be are named', async () => {
  const { stderr } = await forecast('--days', '1');
  expect(stderr).toContain(
    'pool default: its workers take 1 run at once, and 2 want to be at work at 2027-10-31 00:00: some start late\n',
  );
  expect(stderr).toContain('pool db: no living worker says how many runs it takes\n');
  expect(stderr).toContain(
    'key often (limit 1): of 288 runs 144 skipped if they take as long as only 5 % do, first at 2027-10-31 00:05\n',
  );
});

test('for programs it has instants, and what was asked for alone', async () => {
  const all = await found('--days', '1', '--pool', 'db');
  expect(all).toMatchObject({
    ...{ tasks: 1, runs: 1, from: '2027-10-30T22:00:00.000Z', keys: [] },
    pools: [{ pool: 'db', runs: 1, capacity: 0, p50: { runs: 1, at: '2027-10-31T02:30:00.000Z' } }],
  });
  expect(all.pieces).toHaveLength(24);
  expect(all).not.toHaveProperty('load');
  expect(await found('--days', '30', '--key', 'often')).toMatchObject({
    tasks: 1,
    keyLimit: 1,
    keys: [{ key: 'often', tasks: ['often'] }],
  });
  expect((await found('--days', '30')).pieces).toHaveLength(30);
});

test('the quietest times of day are given with their expression', async () => {
  const asked = ['slot', '--minutes', '20', '--window', '00:00-01:00', '--tz', 'Europe/Vienna', '-o', 'json'];
  const { slots } = JSON.parse((await runCli([...asked, '--pool', 'default', '--every', 'mon-fri'], { env })).stdout);
  expect(slots[0].time >= '00:20' && slots[0].time < '01:00').toBe(true);
  const [hour, minute] = slots[0].time.split(':').map(Number);
  expect(slots[0].expression).toBe(`${minute} ${hour} * * mon-fri`);
  const { stdout, stderr } = await runCli(asked.slice(0, -2), { env });
  expect(stdout).toMatch(/^TIME +AT ONCE +AT MOST +STARTS +EXPRESSION\n/);
  expect(stderr).toContain('times in Europe/Vienna; of the next 7 days the worst');
});

test.each([
  [['slot', '--minutes', '20', '--window', '1-5'], '--window is "1-5"\n  give two times of day, as 01:00-05:00'],
  [['slot', '--minutes', '0'], '--minutes is "0"'],
  [['slot', '--minutes', '5', '--every', 'someday'], 'someday'],
  [['forecast', '--days', '366', '--step', '5m'], 'make more than 3000 pieces'],
  [['forecast', '--pool', 'defaul'], 'names a pool "defaul", and no worker serves it\n  did you mean default?'],
  [['forecast', '--key', 'oftn'], 'has the key "oftn"\n  did you mean often?'],
  [['slot', '--minutes', '5', '--pool', 'nowhere'], 'names a pool "nowhere"'],
  [['forecast', '--step', '2h'], 'Allowed choices are 5m, 15m, 1h, 6h, 1d'],
])('%j is refused', async (args, words) => {
  const { code, stderr } = await runCli(args, { env });
  expect(code).toBe(2);
  expect(stderr).toContain(words);
});

test('what falls into a pause or a freeze does not start', async () => {
  await pauseTask(db, 'hourly', null, by('ann', 'moving'));
  const { stderr } = await forecast('--days', '1');
  expect(stderr).toContain('24 occurrences fall into pauses and freezes');
  await freezeFleet(db, null, by('ann', 'all of it'));
  expect(await found('--days', '1')).toMatchObject({ runs: 0 });
});
