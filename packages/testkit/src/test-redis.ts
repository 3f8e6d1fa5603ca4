import { Redis } from 'ioredis';
import { afterFile } from './clean-up.ts';
import { testServers } from './test-servers.ts';

/** The global set-up starts Redis with 1024 databases; number 0 keeps the count. */
const DATABASES = 1023;

export interface TestRedis {
  /** Of an empty database of its own: FLUSHDB is harmless; FLUSHALL and CONFIG are not, see `ownRedis`. */
  url: string;
  /** Unique within the test run, with the hash tag that keys need: `{t17}`. */
  prefix: string;
}

/** A Redis database for the calling test file alone, emptied after its last test. */
export async function testRedis(): Promise<TestRedis> {
  const { redisUrl } = testServers();
  const count = await once(redisUrl, (redis) => redis.incr('testkit:databases'));
  const url = new URL(redisUrl);
  url.pathname = `/${((count - 1) % DATABASES) + 1}`;
  const flush = () => once(url.href, (redis) => redis.flushdb());
  await flush();
  afterFile(async () => {
    await flush();
  });
  return { url: url.href, prefix: `{t${count}}` };
}

async function once<T>(url: string, work: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(url, { lazyConnect: true });
  try {
    await redis.connect();
    return await work(redis);
  } finally {
    redis.disconnect();
  }
}
