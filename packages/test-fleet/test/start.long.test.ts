import { cron, defineTask } from '@escapement/sdk';
import { ownPostgres, testServers } from '@escapement/testkit';
import pg from 'pg';
import { expect, test } from 'vitest';
import { startTestFleet } from '../src/index.ts';

const daily = defineTask({ name: 'daily', schedule: cron('0 9 * * *', 'Europe/Berlin'), run: () => undefined });

test('a fleet finds its servers by itself, and two keep out of each other’s way', async () => {
  const calendars = { closed: { timeZone: 'Europe/Berlin', entries: [{ name: 'New Year', dates: ['01-01'] }] } };
  const open = defineTask({
    name: 'open',
    schedule: cron('0 9 * * *', 'Europe/Berlin'),
    calendars: { exclude: ['closed'] },
    run: () => undefined,
  });
  const [one, two] = await Promise.all([
    startTestFleet({ tasks: [daily], now: '2024-02-28T12:00:00Z' }),
    startTestFleet({ tasks: [open], now: '2026-12-31T12:00:00Z', calendars }),
  ]);
  await Promise.all([one.advance('2d'), two.advance('2d')]);
  const days = (await one.runs()).map(({ scheduledFor }) => scheduledFor.toISOString().slice(0, 10));
  expect(days).toEqual(['2024-02-29', '2024-03-01']);
  expect((await two.runs()).map(({ state, reason }) => [state, reason])).toEqual([
    ['skipped', expect.stringContaining('New Year')],
    ['succeeded', null],
  ]);
  await Promise.all([one.stop(), two.stop()]);
}, 120_000);

test('one that was given a Postgres drops its database', async () => {
  const { postgresUrl: databaseUrl, redisUrl } = testServers();
  const fleet = await startTestFleet({ tasks: [daily], databaseUrl, redisUrl });
  const name = new URL(fleet.databaseUrl).pathname.slice(1);
  expect(await databases(databaseUrl)).toContain(name);
  await fleet.stop();
  expect(await databases(databaseUrl)).not.toContain(name);
});

test('a task that cannot be saved is refused, and nothing is left behind', async () => {
  // Other files of tests make such databases in the shared one meanwhile.
  const { url: databaseUrl } = await ownPostgres();
  const { redisUrl } = testServers();
  const before = await databases(databaseUrl);
  const broken = { name: 'broken', handler: { type: 'shell' as const, command: 'true' }, limit: 0 };
  await expect(startTestFleet({ tasks: [broken], databaseUrl, redisUrl })).rejects.toThrow(/limit/);
  const fresh = (await databases(databaseUrl)).filter((each) => !before.includes(each));
  expect(fresh.filter((each) => each.startsWith('escapement_test_'))).toEqual([]);
});

test('a name that two tasks have is refused', async () => {
  await expect(startTestFleet({ tasks: [daily, daily] })).rejects.toMatchObject({ code: 'duplicate_task' });
});

test('a date that is none is refused', async () => {
  await expect(startTestFleet({ tasks: [], now: 'soon' })).rejects.toMatchObject({ code: 'bad_date' });
});

async function databases(url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ datname: string }>('SELECT datname FROM pg_database');
  await client.end();
  return rows.map(({ datname }) => datname);
}
