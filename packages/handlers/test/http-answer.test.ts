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
