import { httpHandler, systemClock } from '@escapement/core';
import { parseEgress, type Resolver } from '@escapement/core/egress';
import { createHttpHandler } from '@escapement/handlers';
import { afterAll, expect, test } from 'vitest';
import { record } from './context.ts';
import { startTarget } from './target-server.ts';

/** A server that no task may reach: it stands for a database, a metadata service, an admin's page. */
const target = await startTarget((request, response) => {
  if (request.url === '/moved') response.writeHead(302, { Location: 'http://127.0.0.1:1/secret' }).end();
  else response.end('secret of this machine');
});
afterAll(() => target.stop());
const { port } = new URL(target.url);

/** Answers each question with the next of these addresses. */
function resolving(...addresses: string[]): { resolve: Resolver; asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    resolve: (host, _options, callback) => {
      asked.push(host);
      const address = addresses.shift() ?? '127.0.0.1';
      callback(null, [{ address, family: address.includes(':') ? 6 : 4 }]);
    },
  };
}

async function run(url: string, resolve?: Resolver, egress = 'public') {
  const { context, logged } = record(httpHandler.parse({ type: 'http', url }));
  const options = { secrets: () => undefined, clock: systemClock, egress: parseEgress(egress) };
  const outcome = await createHttpHandler({ ...options, ...(resolve ? { resolve } : {}) })(context);
  return { outcome, logged: logged() };
}

test.each([
  [`http://127.0.0.1:${port}/`],
  [`http://127.1:${port}/`],
  [`http://2130706433:${port}/`],
  [`http://0:${port}/`],
  [`http://[::ffff:127.0.0.1]:${port}/`],
  [`http://localhost:${port}/`],
])('%s is not asked', async (url) => {
  const { outcome } = await run(url);
  expect(outcome).toMatchObject({ status: 'failed', error: { fields: { code: 'egress_denied' } } });
  expect(target.received).toEqual([]);
});

test('a refusal is final: another try would be refused too, and nothing was begun', async () => {
  const { outcome, logged } = await run(`http://127.0.0.1:${port}/`);
  expect(outcome).toEqual({
    status: 'failed',
    retry: 'never',
    work: 'not_begun',
    error: {
      name: 'EgressDenied',
      message: `requests to 127.0.0.1 port ${port} are not open: rule "loopback" (127.0.0.0/8); ESCAPEMENT_EGRESS is "public"; an operator opens it by "127.0.0.1:${port}", or all of its kind by "loopback"`,
      fields: { code: 'egress_denied' },
    },
  });
  expect(logged).toContain('[escapement: requests to 127.0.0.1');
});

test('a name is looked up once, and what was judged is what is connected to', async () => {
  // The first answer is open and nobody listens there: a second question would get this machine.
  const { resolve, asked } = resolving('0.0.0.0', '127.0.0.1');
  const { outcome } = await run(`http://rebind.example:${port}/`, resolve);
  expect(outcome).toMatchObject({ error: { message: expect.stringContaining('rule "unspecified"') } });
  const open = resolving('::1', '127.0.0.1');
  await run(`http://rebind.example:${port}/`, open.resolve, '[::1]');
  expect([asked, open.asked]).toEqual([['rebind.example'], ['rebind.example']]);
  expect(target.received).toEqual([]);
});

test('a name that becomes this machine between two runs is refused at the second one', async () => {
  const { resolve } = resolving('127.0.0.1', '127.0.0.2');
  expect(await run(`http://rebind.example:${port}/`, resolve, '127.0.0.1')).toMatchObject({
    outcome: { status: 'succeeded' },
  });
  const { outcome } = await run(`http://rebind.example:${port}/`, resolve, '127.0.0.1');
  expect(outcome).toMatchObject({
    error: { message: expect.stringContaining('rebind.example, which is 127.0.0.2,') },
  });
  expect(target.received.splice(0)).toHaveLength(1);
});

test('a redirect leads nowhere', async () => {
  const { outcome } = await run(`${target.url}/moved`, undefined, 'loopback');
  expect(outcome).toMatchObject({ error: { message: expect.stringContaining('redirects are not followed') } });
  expect(target.received.splice(0)).toHaveLength(1);
});
