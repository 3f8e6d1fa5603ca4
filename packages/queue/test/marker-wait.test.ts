import { eventually, stopwatch } from '@escapement/testkit';
import { Redis } from 'ioredis';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createMarkerWait } from '../src/consumer/marker-wait.ts';
import { ownRedis } from './redis-server.ts';
import { aConsumer, aRun, aRunQueue, blockFor } from './support.ts';

const MINUTE = 60_000;

async function aWait() {
  const { url } = await ownRedis();
  const control = new Redis(url, { replyMapping: 'legacy' });
  const blocking = control.duplicate({ autoResendUnfulfilledCommands: false });
  const errors: Error[] = [];
  const waits = createMarkerWait({ blocking, control }, (error) => errors.push(error));
  onTestFinished(() => {
    waits.close();
    control.disconnect();
  });
  const wait = (marker: string, ms = MINUTE, hasRoom = true) =>
    waits.wait(marker, ms, { heard: () => undefined, hasRoom: () => hasRoom });
  return { control, waits, wait, errors };
}

test('each queue is told of its own marker, also one that began to wait while the command was under way', async () => {
  const { control, wait, errors } = await aWait();
  const first = wait('a');
  await eventually(async () => expect(await control.client('LIST')).toContain('cmd=bzpopmin'));
  const second = wait('b');
  const third = wait('c');
  await control.zadd('b', 0, '0');
  expect(await second).toEqual({ member: '0', score: 0 });
  await control.zadd('a', 17, '1');
  expect(await first).toEqual({ member: '1', score: 17 });
  await control.zadd('c', 0, '0');
  expect(await third).toEqual({ member: '0', score: 0 });
  expect(errors).toEqual([]);
});

test('what is to end a command, and comes to Redis before it, is said again', async () => {
  const { control, wait } = await aWait();
  void wait('a');
  await eventually(async () => expect(await control.client('LIST')).toContain('cmd=bzpopmin'));
  // As Redis answers where no command is under way yet.
  vi.spyOn(control, 'client').mockResolvedValueOnce(0 as never);
  const tookMs = await stopwatch();
  const second = wait('b');
  await control.zadd('b', 0, '0');
  expect(await second).toEqual({ member: '0', score: 0 });
  expect(await tookMs()).toBeLessThan(1000);
});

test('a wait ends in time, though others go on, and a longer one that is under way', async () => {
  const { wait } = await aWait();
  const long = wait('long');
  expect(await wait('short', 30)).toBeNull();
  expect(await Promise.race([long, wait('other', 30)])).toBeNull();
});

test('what a queue is not waiting for any more stays for others', async () => {
  const { control, waits, wait } = await aWait();
  const given = wait('a');
  await eventually(async () => expect(await control.client('LIST')).toContain('cmd=bzpopmin'));
  waits.release('a');
  expect((await given)?.score).toBe(Number.POSITIVE_INFINITY);
  await control.zadd('a', 5, '1');
  await eventually(async () => expect(await control.zscore('a', '1')).toBe('5'));
});

test('who has no place for what there is leaves it for others, and is not told again', async () => {
  const { control, wait } = await aWait();
  const full = wait('a', MINUTE, false);
  const free = wait('b');
  await eventually(async () => expect(await control.client('LIST')).toContain('cmd=bzpopmin'));
  await control.zadd('a', 0, '0');
  expect(await full).toBeNull();
  await control.zadd('b', 0, '0');
  expect(await free).toEqual({ member: '0', score: 0 });
  expect(await control.zscore('a', '0')).toBe('0');
});

test('a connection that was cut is made anew; who waited is to ask, as a marker may have been lost, and hears of what comes', async () => {
  const { control, wait } = await aWait();
  const given = wait('a');
  await eventually(async () => expect(await control.client('LIST')).toContain('cmd=bzpopmin'));
  // Cut by Redis, which knows then that nobody is there to take the marker.
  const tookMs = await stopwatch();
  await control.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
  expect(await given).toBeNull();
  // Long before the wait's own end.
  expect(await tookMs()).toBeLessThan(MINUTE / 2);
  const again = wait('a');
  await control.zadd('a', 0, '0');
  expect(await again).toEqual({ member: '0', score: 0 });
});

test('an answer that comes late, as the process did nothing meanwhile, is no lost one', async () => {
  const { control, wait } = await aWait();
  const short = wait('a', 1000);
  await eventually(async () => expect(await control.client('LIST')).toContain('cmd=bzpopmin'));
  const told = control.zadd('a', 0, '0');
  // Beyond the time after which a command counts as hung.
  blockFor(2500);
  await told;
  expect(await short).toEqual({ member: '0', score: 0 });
});

test('a process has two connections, however many queues it serves', async () => {
  const { url, client } = await ownRedis();
  const queues = ['a', 'a+shell', 'a+code', 'b', 'b+shell'];
  const { executed } = aConsumer(url, { queues });
  const queue = aRunQueue(url);
  await queue.add(queues.map((name) => aRun({ queue: name })));
  await eventually(() => expect(new Set(executed.map((run) => run.queue))).toEqual(new Set(queues)));
  const clients = String(await client.client('LIST')).trim();
  // Those of the consumer, that of the queue, and the test's own.
  expect(clients.split('\n').length).toBe(4);
});
