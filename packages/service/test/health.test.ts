import { connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createHealthServer, type HealthServer } from '../src/health.ts';
import type { HealthCheck } from '../src/health-check.ts';
import { createMemoryLog } from './memory-log.ts';

let server: HealthServer | undefined;
afterEach(() => server?.stop());

async function serve(checks: HealthCheck[]): Promise<string> {
  server = createHealthServer({ service: 'worker', host: '127.0.0.1', port: 0, checks, log: createMemoryLog().log });
  return (await server.start()).url;
}

const well: HealthCheck = { name: 'postgres', run: async () => ({ ok: true, detail: 'answers', value: 3 }) };
const ill: HealthCheck = { name: 'redis', run: () => Promise.reject(new Error('connection refused')) };

test('/readyz is 200 with every check while all are well', async () => {
  const response = await fetch(`${await serve([well])}/readyz?verbose`);
  expect(response.status).toBe(200);
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(await response.json()).toEqual({
    ok: true,
    service: 'worker',
    upSeconds: expect.any(Number),
    checks: [{ name: 'postgres', ok: true, detail: 'answers', value: 3, tookMs: expect.any(Number) }],
  });
});

test('/readyz is 503 as soon as one check is not well, and /healthz stays 200', async () => {
  const url = await serve([well, ill]);
  const ready = await fetch(`${url}/readyz`);
  expect(ready.status).toBe(503);
  expect(await ready.json()).toMatchObject({
    ok: false,
    checks: [{ ok: true }, { name: 'redis', ok: false, detail: 'failed; the log of this process says why' }],
  });
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
});

test('a check that hangs holds the answer up no longer than its time', async () => {
  const hangs: HealthCheck = { name: 'postgres', timeoutMs: 50, run: () => new Promise(() => undefined) };
  const response = await fetch(`${await serve([hangs])}/readyz`);
  expect(response.status).toBe(503);
});

test('other paths are 404, other methods 405, HEAD is answered', async () => {
  const url = await serve([]);
  expect((await fetch(url)).status).toBe(404);
  expect((await fetch(`${url}/readyz`, { method: 'POST', body: 'x'.repeat(100_000) })).status).toBe(405);
  expect((await fetch(`${url}/readyz`, { method: 'HEAD' })).status).toBe(200);
});

test('a hundred connections that say nothing keep no probe out', async () => {
  const url = await serve([well]);
  const idle = Array.from({ length: 100 }, () => connect(Number(new URL(url).port), '127.0.0.1'));
  await Promise.all(
    idle.map((client) => {
      client.on('error', () => undefined);
      return new Promise<void>((resolve) => client.once('connect', () => resolve()));
    }),
  );
  for (const path of ['/healthz', '/readyz'])
    expect((await fetch(`${url}${path}`, { signal: AbortSignal.timeout(10_000) })).status).toBe(200);
  for (const client of idle) client.destroy();
});

test('a request that does not come is not waited for', async () => {
  const { port } = new URL(await serve([]));
  const client = connect(Number(port), '127.0.0.1');
  client.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => client.once('close', () => resolve()));
  client.resume().write('GET /healthz HTTP/1.1\r\n');
  await closed;
});

test('nobody who asks is told of hosts and users: that is for the log', async () => {
  const { log, lines } = createMemoryLog();
  const run = () => Promise.reject(new Error('password authentication failed for user "app" at 10.1.2.3'));
  server = createHealthServer({
    service: 'worker',
    host: '127.0.0.1',
    port: 0,
    checks: [{ name: 'postgres', run }],
    log,
  });
  const text = await (await fetch(`${(await server.start()).url}/readyz`)).text();
  expect(text).not.toMatch(/app|10\.1/);
  expect(JSON.stringify(lines)).toContain('10.1.2.3');
});

test('stop does not wait for a client that holds its connection open', async () => {
  const { port } = new URL(await serve([]));
  const client = connect(Number(port), '127.0.0.1');
  client.on('error', () => undefined);
  await new Promise<void>((resolve) => client.once('connect', () => resolve()));
  const closed = new Promise<void>((resolve) => client.once('close', () => resolve()));
  client.write('GET /readyz HTTP/1.1\r\n');
  await server?.stop();
  await closed;
});

test('a port that is taken is an error that says what to set; stop before or without start does nothing', async () => {
  const { port } = new URL(await serve([]));
  const second = createHealthServer({
    service: 'worker',
    host: '127.0.0.1',
    port: Number(port),
    checks: [],
    log: createMemoryLog().log,
  });
  await expect(second.start()).rejects.toMatchObject({
    code: 'health_port_taken',
    message: `another process listens on port ${port} of 127.0.0.1`,
    fix: expect.stringContaining('ESCAPEMENT_HEALTH_PORT'),
  });
  await second.stop();
});
