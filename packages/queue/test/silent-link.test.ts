import { eventually, startProxy, stopwatch, testRedis } from '@escapement/testkit';
import { Redis } from 'ioredis';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { aConsumer, aKeeper, aRequest, aRun, aRunQueue, heldLease, renewals } from './support.ts';

const { url } = await testRedis();
const proxy = await startProxy(url);
afterEach(() => proxy.pass());
const client = new Redis(url);
afterAll(() => client.disconnect());

/** How many clients of our database wait for a job: who is about to ask would be given one, and not hear of it. */
async function waitingForJobs(): Promise<number> {
  const clients = String(await client.client('LIST')).split('\n');
  return clients.filter(
    (each) => each.includes(` db=${client.options.db} `) && / cmd=bzpopmin /.test(each) && / flags=b/.test(each),
  ).length;
}

test('a worker whose link was cut in silence takes runs again soon after the link is back', async () => {
  const queue = aRunQueue(url);
  const { executed, errors } = aConsumer(proxy.url);
  await queue.add([aRun()]);
  await eventually(() => expect(executed).toHaveLength(1));
  // Nothing is on its way to the worker any more: what is lost there comes back later, by another way.
  await eventually(async () => expect((await queue.counts(['default'])).default).toMatchObject({ active: 0 }));
  await eventually(async () => expect(await waitingForJobs()).toBe(1));
  proxy.hole();
  await queue.add([aRun(), aRun()]);
  await eventually(() => expect(errors.map((error) => error.message).join()).toContain('Socket timeout'));
  proxy.pass();
  await queue.add([aRun()]);
  // Of these three one may be given to the link that is gone: what was sent into the hole arrives late, as TCP would resend it.
  await eventually(() => expect(executed.length).toBeGreaterThanOrEqual(3), 10_000);
});

test('an add into a hole fails in time', async () => {
  const queue = aRunQueue(proxy.url, { commandTimeoutMs: 400 });
  expect(await queue.add([aRun()])).toEqual([{ ok: true }]);
  proxy.hole();
  const tookMs = await stopwatch();
  expect(await queue.add([aRun()])).toMatchObject([{ ok: false, error: { code: 'redis_unreachable' } }]);
  expect(await tookMs()).toBeLessThan(2000);
  proxy.pass();
  await eventually(async () => expect(await queue.add([aRun()])).toEqual([{ ok: true }]));
});

test('a run that was stored although the reply was lost is not reported as lost', async () => {
  const queue = aRunQueue(proxy.url);
  await queue.add([aRun()]);
  const run = aRun();
  const cut = proxy.loseReply(run.runId);
  const [result] = await queue.add([run]);
  await cut;
  expect(await aRunQueue(url).present([run])).toEqual([true]);
  if (!result?.ok) await eventually(async () => expect(await queue.add([run])).toEqual([{ ok: true }]));
  await eventually(async () => expect((await aRunQueue(url).counts(['default'])).default?.waiting).toBeGreaterThan(0));
});

test('a worker cut off from Redis alone knows by itself when its lease ends', async () => {
  const keeper = aKeeper(proxy.url, { leaseMs: 1500 });
  await keeper.ready;
  const lease = await heldLease(keeper, aRequest());
  proxy.hole();
  // Exclusion rests on it: no load of the machine excuses a later end.
  const overMs = performance.now() + 1600;
  await vi.waitFor(() => expect(performance.now()).toBeGreaterThan(overMs), { timeout: 20_000, interval: 20 });
  expect(lease.isValid()).toBe(false);
  await eventually(() => expect(lease.lost.aborted).toBe(true));
});

test('a renewal that is lost on a link is given up in time for another one', async () => {
  const errors: Error[] = [];
  const keeper = aKeeper(proxy.url, { leaseMs: 4000, onError: (error) => errors.push(error) });
  await keeper.ready;
  const lease = await heldLease(keeper, aRequest({ key: 'renewed' }));
  proxy.hole();
  await eventually(() => expect(errors.map((error) => error.message).join()).toContain('leases could not be renewed'));
  proxy.pass();
  await renewals(client, 1);
  expect(lease.isValid()).toBe(true);
});
