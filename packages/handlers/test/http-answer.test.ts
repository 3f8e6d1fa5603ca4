import { gzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { startHttp } from './http.ts';
import { startTarget } from './target-server.ts';

const target = await startTarget((request, response) => {
  switch (request.url) {
    case '/json':
      return response
        .writeHead(200, { 'Content-Type': 'application/json', 'Set-Cookie': 'a=b' })
        .end('{"token":"hunter2"}');
    case '/large':
      return response.writeHead(200, { 'Content-Type': 'text/plain' }).end('x'.repeat(300_000));
    case '/binary':
      return response.writeHead(200, { 'Content-Type': 'application/pdf' }).end(Buffer.from([0, 1, 255]));
    case '/moved':
      return response.writeHead(301, { Location: 'https://elsewhere.example/x' }).end();
    case '/busy':
      return response.writeHead(503, { 'Retry-After': '60' }).end('come back');
    case '/orders':
      return response.writeHead(200, { 'Content-Type': 'application/json' }).end('{\n  "imported": 40\n}\n');
    case '/empty':
      return response.writeHead(204).end();
    case '/page':
      return response.writeHead(200, { 'Content-Type': 'text/html' }).end('<h1>maintenance</h1>');
    case '/too-much':
      return response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify('x'.repeat(70_000)));
    case '/far-too-much':
      return response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify('x'.repeat(2_000_000)));
    case '/latin1':
      return response.writeHead(200).end(Buffer.from('{"name": "M\xfcller"}', 'latin1'));
    case '/large-number':
      return response.writeHead(200).end('{"output": {"id": 9007199254740993}}');
    case '/deep':
      return response.writeHead(200).end(`${'['.repeat(10_000)}${']'.repeat(10_000)}`);
    case '/nul':
      return response.writeHead(200).end('{"output": "a\\u0000b"}');
    case '/proto':
      return response.writeHead(200).end('{"output": {"__proto__": {"admin": true}}}');
    case '/year-0':
      return response.writeHead(200).end('{"next": "0000-01-01T00:00:00Z"}');
    case '/packed':
      return response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync('{}'));
    case '/says':
      return response
        .writeHead(200)
        .end('{"output": 3, "state": {"cursor": "b"}, "chain": {"task": "next", "payload": 1}, "next": null}');
    case '/echo':
      return response.writeHead(200).end(JSON.stringify({ output: { heard: request.headers.authorization } }));
    case '/declines':
      return response.writeHead(200).end(JSON.stringify({ skip: `not for ${request.headers.authorization}` }));
    case '/skips':
      return response.writeHead(200).end('{"skip": "nothing new"}');
    case '/says-wrong':
      return response.writeHead(200).end('{"stat": 1}');
    case '/broken':
      return response.writeHead(500, { 'Content-Type': 'text/html' }).end('<h1>stack trace</h1>');
    default:
      return response.writeHead(404).end();
  }
});
afterAll(() => target.stop());

test('the log shows what was asked, what came back, and the body, with secrets masked', async () => {
  const headers = { 'X-Token': { secret: 'TOKEN' } };
  const run = startHttp({ url: `${target.url}/json`, headers }, undefined, () => 'hunter2');
  await run.done;
  expect(run.logged().replace(/\d+ ms/, 'n ms')).toBe(
    `GET ${target.url}/json\n200 OK after n ms\ncontent-type: application/json\n\n{"token":"***"}`,
  );
});

test('a large body is cut, and the rest counted', async () => {
  const run = startHttp({ url: `${target.url}/large`, maxResponseBytes: 1000 });
  expect(await run.done).toMatchObject({ status: 'succeeded' });
  expect(
    run.logged().endsWith(`\n\n${'x'.repeat(1000)}\n[escapement: 299000 bytes of the answer are not shown]\n`),
  ).toBe(true);
});

test('a body that is no text is counted only', async () => {
  const run = startHttp({ url: `${target.url}/binary` });
  await run.done;
  expect(run.logged()).toContain('[escapement: 3 bytes of the answer are not shown]');
});

test('an unexpected status fails, says what was expected, and keeps the start of the body', async () => {
  expect(await startHttp({ url: `${target.url}/broken` }).done).toEqual({
    status: 'failed',
    error: {
      name: 'UnexpectedStatus',
      message: `GET ${target.url}/broken answered 500 Internal Server Error, expected 200-299`,
      fields: { status: 500, body: '<h1>stack trace</h1>' },
    },
  });
});

test('an expected status is a success, whatever it is', async () => {
  expect(await startHttp({ url: `${target.url}/none`, expectStatus: ['200-299', 404] }).done).toEqual({
    status: 'succeeded',
    output: { status: 404 },
  });
});

test('a redirect is not followed, and the error says where it points', async () => {
  expect(await startHttp({ url: `${target.url}/moved` }).done).toMatchObject({
    error: {
      message: expect.stringContaining('it points to https://elsewhere.example/x, and redirects are not followed'),
    },
  });
});

test('a busy server says when to come back', async () => {
  const outcome = await startHttp({ url: `${target.url}/busy` }).done;
  expect(outcome).toMatchObject({ status: 'failed', retry: { at: expect.any(Date) } });
});

test('an answer without end is cut off, and its status decides', async () => {
  const endless = await startTarget((_, response) => {
    const piece = Buffer.alloc(1024 * 1024, 'x');
    const send = () => {
      while (!response.destroyed && response.write(piece));
    };
    response.on('drain', send);
    send();
  });
  const run = startHttp({ url: endless.url });
  expect(await run.done).toEqual({ status: 'succeeded', output: { status: 200 } });
  await endless.stop();
  expect(run.logged()).toContain('[escapement: the answer is cut off here: no more than 10485760 bytes are read]');
});

test('the body is the output, if the task says so', async () => {
  expect(await startHttp({ url: `${target.url}/orders`, output: 'body' }).done).toEqual({
    status: 'succeeded',
    output: { imported: 40 },
  });
  expect(await startHttp({ url: `${target.url}/empty`, output: 'body' }).done).toEqual({
    status: 'succeeded',
    output: null,
  });
});

test.each([
  ['page', 'is not JSON'],
  ['too-much', 'is 70002 bytes of JSON'],
  ['far-too-much', 'is 2000002 bytes'],
  ['packed', 'is encoded as gzip'],
  ['latin1', 'is not UTF-8'],
  ['large-number', 'the number 9007199254740993, which would become 9007199254740992'],
  ['deep', 'more than 200 levels deep'],
  ['nul', 'NUL'],
  ['proto', '__proto__'],
])('a body that cannot be the output fails the run for good: %s', async (path, words) => {
  const run = startHttp({ url: `${target.url}/${path}`, output: 'body' });
  expect(await run.done).toMatchObject({
    status: 'failed',
    retry: 'never',
    error: { message: expect.stringContaining(words) },
  });
  expect(run.logged()).toContain(words);
});

test.each([
  ['latin1', 'is not UTF-8'],
  ['large-number', '9007199254740993'],
  ['deep', 'more than 200 levels deep'],
  ['nul', 'NUL'],
  ['proto', '__proto__'],
  ['year-0', 'between 1970-01-01T00:00:00Z and 9999-12-31T23:59:59.999Z'],
])('a body that says what cannot be kept fails the run for good: %s', async (path, words) => {
  expect(await startHttp({ url: `${target.url}/${path}`, output: 'messages' }).done).toMatchObject({
    status: 'failed',
    retry: 'never',
    error: { message: expect.stringContaining(words) },
  });
});

test('a body that is not asked for is not read as JSON', async () => {
  expect(await startHttp({ url: `${target.url}/page` }).done).toEqual({ status: 'succeeded', output: { status: 200 } });
});

test('the answer keeps a state, chains and says when it is due next', async () => {
  const state = { value: { cursor: 'a' }, version: 4, shape: 1 };
  const run = startHttp({ url: `${target.url}/says`, method: 'POST', output: 'messages' }, { region: 'eu' });
  const sent = startHttp(
    { url: `${target.url}/says`, method: 'POST', output: 'messages' },
    { region: 'eu' },
    undefined,
    state,
  );
  expect(await sent.done).toEqual({
    status: 'succeeded',
    output: 3,
    effects: {
      state: { value: { cursor: 'b' }, version: 4, shape: 1 },
      next: null,
      chain: [{ task: 'next', payload: 1 }],
    },
  });
  expect(JSON.parse(target.received.at(-1)?.body ?? '')).toEqual({ payload: { region: 'eu' }, state: { cursor: 'a' } });
  expect(await run.done).toMatchObject({
    status: 'failed',
    error: { message: expect.stringContaining('declares no state') },
  });
});

test('the answer may skip the run, and says nothing that is unknown', async () => {
  expect(await startHttp({ url: `${target.url}/skips`, output: 'messages' }).done).toEqual({
    status: 'skipped',
    reason: 'nothing new',
  });
  expect(await startHttp({ url: `${target.url}/says-wrong`, output: 'messages' }).done).toMatchObject({
    status: 'failed',
    retry: 'never',
    error: { message: expect.stringMatching(/^the answer said .* in its body/) },
  });
  expect(await startHttp({ url: `${target.url}/empty`, output: 'messages' }).done).toEqual({
    status: 'succeeded',
    output: { status: 204 },
  });
});

test('a password that stands in the definition is not in what the answer says', async () => {
  const headers = { Authorization: 'Bearer hunter2' };
  const ask = (path: string, output: 'body' | 'messages') =>
    startHttp({ url: `${target.url}${path}`, headers, output }).done;
  expect(await ask('/echo', 'messages')).toEqual({ status: 'succeeded', output: { heard: '***' } });
  expect(await ask('/echo', 'body')).toEqual({ status: 'succeeded', output: { output: { heard: '***' } } });
  expect(await ask('/declines', 'messages')).toEqual({ status: 'skipped', reason: 'not for ***' });
});

test('a status that will be the same again is not tried again, unless the task says so', async () => {
  expect(await startHttp({ url: `${target.url}/none` }).done).toMatchObject({ status: 'failed', retry: 'never' });
  expect(await startHttp({ url: `${target.url}/none`, retryStatus: [404] }).done).not.toHaveProperty('retry');
  expect(await startHttp({ url: `${target.url}/broken`, retryStatus: [404] }).done).toMatchObject({ retry: 'never' });
});
