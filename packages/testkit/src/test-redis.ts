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
  /** One command, for making states that no program of ours makes. */
  send(command: string, ...args: (string | number)[]): Promise<unknown>;
  /** A user with these rules of an ACL, deleted after the last test. `denied`: what it was not allowed to do. */
  user(rules: string): Promise<{ url: string; send: TestRedis['send']; denied(): Promise<string[]> }>;
  /** Keeps all keys as they are now; the function brings back these and no others. */
  snapshot(): Promise<() => Promise<void>>;
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
  return {
    url: url.href,
    prefix: `{t${count}}`,
    send: (command, ...args) => once(url.href, (redis) => redis.call(command, ...args)),
    user: (rules) => addUser(url, `u${count}`, rules),
    snapshot: () => snapshot(url.href),
  };
}

async function addUser(server: URL, name: string, rules: string): ReturnType<TestRedis['user']> {
  await once(server.href, (redis) => redis.call('ACL', 'SETUSER', name, 'reset', 'on', '>secret', ...rules.split(' ')));
  afterFile(async () => {
    await once(server.href, (redis) => redis.call('ACL', 'DELUSER', name));
  });
  const { href } = Object.assign(new URL(server), { username: name, password: 'secret' });
  return {
    url: href,
    send: (command, ...args) => once(href, (redis) => redis.call(command, ...args)),
    async denied() {
      const entries = await once(server.href, (redis) => redis.call('ACL', 'LOG', 1000));
      return (Array.isArray(entries) ? entries : [])
        .map(String)
        .filter((entry) => entry.includes(`,username,${name},`));
    },
  };
}

async function snapshot(url: string): Promise<() => Promise<void>> {
  const kept = await once(url, async (redis) => {
    const keys = await redis.keys('*');
    return Promise.all(
      keys.map(async (key) => ({ key, ttl: Math.max(0, await redis.pttl(key)), value: await redis.dumpBuffer(key) })),
    );
  });
  return () =>
    once(url, async (redis) => {
      await redis.flushdb();
      await Promise.all(kept.map(({ key, ttl, value }) => redis.restore(key, ttl, value ?? '')));
    });
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
