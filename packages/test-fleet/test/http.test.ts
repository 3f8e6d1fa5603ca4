import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { testFleet } from './fleet.ts';

/** A shop that hands out three orders, two at a time, and is busy at its second request. */
const ORDERS = ['a', 'b', 'c'];
let requests = 0;
const shop = createServer(async (request, response) => {
  let body = '';
  for await (const piece of request) body += piece;
  requests++;
  if (requests === 2) return response.writeHead(500).end();
  const from = JSON.parse(body).state?.cursor ?? 0;
  const orders = ORDERS.slice(from, from + 2);
  if (orders.length === 0) return response.end(JSON.stringify({ skip: 'no orders' }));
  const said = {
    output: { orders },
    state: { cursor: from + orders.length },
    chain: { task: 'count', payload: { orders } },
  };
  return response.end(JSON.stringify(said));
});
const counter = createServer(async (request, response) => {
  let body = '';
  for await (const piece of request) body += piece;
  response.end(JSON.stringify({ counted: JSON.parse(body).orders.length }));
});
await Promise.all(
  [shop, counter].map((server) => new Promise((listening) => server.listen(0, '127.0.0.1', () => listening(null)))),
);
afterAll(() => {
  for (const server of [shop, counter]) server.close();
});
const urlOf = (server: typeof shop) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;

const fleet = await testFleet({
  now: '2026-01-01T00:00:00Z',
  tasks: [
    {
      name: 'fetch',
      schedule: { kind: 'cron', expression: '0 * * * *', timeZone: 'UTC' },
      handler: { type: 'http', url: urlOf(shop), method: 'POST', output: 'messages' },
      retry: { maxAttempts: 2, backoff: { kind: 'fixed', delayMs: 1000 } },
      state: {},
    },
    { name: 'count', handler: { type: 'http', url: urlOf(counter), method: 'POST', output: 'body' } },
  ],
});

test('an http task keeps a state, is tried again after a 500, and chains runs whose output is an answer', async () => {
  await fleet.advance('3h');
  expect((await fleet.runs('fetch')).map(({ state, output, attempt }) => [state, output, attempt])).toEqual([
    ['succeeded', { orders: ['a', 'b'] }, 1],
    ['succeeded', { orders: ['c'] }, 2],
    ['skipped', null, 1],
  ]);
  expect(await fleet.state('fetch')).toEqual({ cursor: 3 });
  expect((await fleet.runs('count')).map(({ output }) => output)).toEqual([{ counted: 2 }, { counted: 1 }]);
});
