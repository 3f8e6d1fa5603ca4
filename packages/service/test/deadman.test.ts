import { afterEach, expect, test } from 'vitest';
import { createDeadman } from '../src/deadman.ts';
import { createHttpTarget, type HttpTarget } from './http-target.ts';
import { createMemoryLog } from './memory-log.ts';

let target: HttpTarget | undefined;
afterEach(() => target?.close());

async function setUp(options: { status?: number; answers?: boolean } = {}) {
  const { status = 200, answers = true } = options;
  const health = { ok: true };
  target = await createHttpTarget(() => (answers ? { status } : undefined));
  const { log, lines } = createMemoryLog();
  const deadman = createDeadman({
    url: `${target.url}/ping/s3cret`,
    intervalMs: 60_000,
    healthy: () => health.ok,
    timeoutMs: answers ? 10_000 : 100,
    log,
  });
  return { deadman, health, received: target.received, target, messages: () => lines.map((line) => line.msg), lines };
}

test('while healthy, each pass is one GET', async () => {
  const { deadman, received } = await setUp();
  expect(await deadman.runOnce()).toBe(60_000);
  expect(await deadman.runOnce()).toBe(60_000);
  expect(received.map(({ method, path }) => `${method} ${path}`)).toEqual(Array(2).fill('GET /ping/s3cret'));
});

test('while not healthy there is no ping, said once; it goes on within a second of being healthy again', async () => {
  const { deadman, health, received, messages } = await setUp();
  health.ok = false;
  expect(await deadman.runOnce()).toBe(1000);
  await deadman.runOnce();
  expect(received).toEqual([]);
  health.ok = true;
  await deadman.runOnce();
  expect(received).toHaveLength(1);
  expect(messages()).toEqual(['not healthy: no more pings until it is', 'healthy again: pings go on']);
});

test('an answer other than 2xx, or none within the time, is a failed pass', async () => {
  const refused = await setUp({ status: 500 });
  await expect(refused.deadman.runOnce()).rejects.toThrow('status 500');
  await target?.close();
  const silent = await setUp({ answers: false });
  await expect(silent.deadman.runOnce()).rejects.toThrow(/timeout|aborted/i);
});

test('in the loop a failure is logged without the secret path and tried again', async () => {
  const { deadman, target: server, lines } = await setUp({ status: 500 });
  deadman.start();
  await server.reached(1);
  await deadman.stop();
  expect(lines).toEqual([expect.objectContaining({ level: 'warn', who: 'deadman', msg: 'ping failed', failures: 1 })]);
  expect(JSON.stringify(lines)).not.toContain('s3cret');
});
