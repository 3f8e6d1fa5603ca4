import { testDatabase } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { moveRedis, openDatabase, type RedisSeen, redisUse, writeHeartbeat } from '../src/index.ts';
import { WORKER } from './ledger.ts';

const { url } = await testDatabase();
const open = (namespace: string) => openDatabase({ url, namespace, applicationName: 'test' });

async function beat(db: ReturnType<typeof open>, id: string, seen: RedisSeen): Promise<void> {
  await writeHeartbeat(db, { ...WORKER, id, redisSeen: () => seen }, { activeRuns: [], clockOffsetMs: 0 });
}

test('of two that note a Redis at once one does, and each namespace has its own', async () => {
  const [one, other] = [open('one'), open('other')];
  expect(await redisUse(one, 'me')).toEqual({ noted: null, usedBy: null });
  const noted = await Promise.all(['a', 'b'].map((to) => moveRedis(one, { from: null, to })));
  expect(noted.filter(Boolean)).toHaveLength(1);
  const { noted: first } = await redisUse(one, 'me');
  expect(await moveRedis(one, { from: 'neither', to: 'c' })).toBe(false);
  expect(await moveRedis(one, { from: first, to: 'c' })).toBe(true);
  expect(await redisUse(one, 'me')).toEqual({ noted: 'c', usedBy: null });
  expect(await redisUse(other, 'me')).toEqual({ noted: null, usedBy: null });
  for (const db of [one, other]) await db.close();
});

test('a Redis is used by living programs that have read its id last, also by those that cannot reach it now', async () => {
  const db = open('used');
  await moveRedis(db, { from: null, to: 'a' });
  await beat(db, 'me', { id: 'a', ageMs: 0 });
  await beat(db, 'elsewhere', { id: 'b', ageMs: 0 });
  await beat(db, 'of-an-earlier-version', { id: null, ageMs: null });
  expect(await redisUse(db, 'me')).toEqual({ noted: 'a', usedBy: null });
  await beat(db, 'cut-off', { id: 'a', ageMs: 60_000 });
  const program = `worker ${WORKER.pid} on ${WORKER.host}`;
  expect(await redisUse(db, 'me')).toEqual({ noted: 'a', usedBy: { program, isFresh: false } });
  await beat(db, 'connected', { id: 'a', ageMs: 1000 });
  expect(await redisUse(db, 'me')).toEqual({ noted: 'a', usedBy: { program, isFresh: true } });
  await db.pool.query(`UPDATE process SET heartbeat_at = now() - interval '11 s' WHERE id = 'connected'`);
  await db.pool.query(`UPDATE process SET stopped_at = now() WHERE id = 'cut-off'`);
  expect(await redisUse(db, 'me')).toEqual({ noted: 'a', usedBy: null });
  await db.close();
});
