import { SECOND } from '@escapement/core';
import { eventually, ownRedis, testDatabase } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { site, witness } from '../restored/site.ts';

const { starts, command } = witness();
const PATIENCE_MS = 60 * SECOND;

const everySecond = (name: string) =>
  ({
    name,
    schedule: { kind: 'cron', expression: '* * * * * *', timeZone: 'UTC' },
    catchUp: 'all',
    handler: { type: 'shell', command: command(name) },
  }) as const;

const count = (name: string) => starts().filter(({ task }) => task === name).length;

async function more(name: string, than: number): Promise<void> {
  await eventually(() => expect(count(name)).toBeGreaterThan(than), PATIENCE_MS);
}

test('of two fleets on one Postgres, one loses its Redis and pauses, the other goes on; then it makes up for all', async () => {
  const [{ url }, lost, kept] = await Promise.all([testDatabase(), ownRedis(), ownRedis()]);
  const one = await site(url, { namespace: 'one', redisUrl: lost.url });
  const other = await site(url, { namespace: 'other', redisUrl: kept.url });
  await Promise.all([one.save([everySecond('one')]), other.save([everySecond('other')])]);
  await Promise.all([one.start(), other.start()]);
  await Promise.all([more('one', 1), more('other', 1)]);

  await lost.crash();
  // What was under way ends.
  await more('other', count('other') + 3);
  const before = { one: count('one'), other: count('other') };
  await more('other', before.other + 5);
  expect(count('one')).toBe(before.one);

  await lost.start();
  await more('one', before.one + 8);
  await Promise.all([one.stop(), other.stop()]);
  const left = await one.sql<{ seconds: number; rows: number }>(
    `SELECT extract(epoch FROM max(scheduled_for) - min(scheduled_for))::integer + 1 AS seconds, count(*)::integer AS rows
     FROM run WHERE namespace = 'one'`,
  );
  expect(left[0]?.rows).toBe(left[0]?.seconds);
}, 180_000);
