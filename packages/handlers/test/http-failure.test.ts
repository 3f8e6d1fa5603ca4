import { type AddressInfo, createServer } from 'node:net';
import { expect, test } from 'vitest';
import { startHttp } from './http.ts';
import { startTarget } from './target-server.ts';

/** A server that answers each connection with these bytes and ends it. */
async function rawServer(answer: string) {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: (server.address() as AddressInfo).port, stop: () => server.close() };
}

test('nobody listens', async () => {
  const { port, stop } = await rawServer('');
  await new Promise<void>((resolve) => stop().once('close', () => resolve()));
  expect(await startHttp({ url: `http://127.0.0.1:${port}` }).done).toMatchObject({
    status: 'failed',
    error: { message: expect.stringContaining(`nothing listens at 127.0.0.1:${port}`), fields: { kind: 'refused' } },
  });
});

test('an unknown host', async () => {
  const run = startHttp({ url: 'http://no-such-host.invalid/' });
  expect(await run.done).toMatchObject({ error: { fields: { kind: 'dns' } } });
  expect(run.logged()).toContain('[escapement: the host no-such-host.invalid was not found');
});

test.each([
  ['closes without a word', '', 'closed'],
  ['closes in the middle of its answer', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf', 'closed'],
  ['speaks something else', 'SSH-2.0-OpenSSH\r\n\r\n', 'protocol'],
])('a server that %s', async (_, answer, kind) => {
  const { port, stop } = await rawServer(answer);
  const outcome = await startHttp({ url: `http://127.0.0.1:${port}` }).done;
  stop();
  expect(outcome).toMatchObject({ status: 'failed', error: { name: 'RequestFailed', fields: { kind } } });
});

test('https to a port that speaks plain HTTP', async () => {
  const target = await startTarget((_, response) => response.end());
  const outcome = await startHttp({ url: target.url.replace('http', 'https') }).done;
  await target.stop();
  expect(outcome).toMatchObject({ error: { fields: { kind: 'tls' } } });
});

test('an abort ends the request and says how far it had come', async () => {
  let asked: () => void = () => undefined;
  const arrived = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const target = await startTarget(() => asked());
  const run = startHttp({ url: target.url });
  await arrived;
  run.abort('timeout');
  expect(await run.done).toEqual({
    status: 'failed',
    error: { name: 'Aborted', message: 'stopped because its time limit was reached, while waiting for the answer' },
    // Nobody knows what the target did with it.
    work: 'cut_off',
  });
  await target.stop();
});

test('the password of a URL does not show', async () => {
  const target = await startTarget((_, response) => response.writeHead(401).end());
  const run = startHttp({ url: target.url.replace('://', '://ann:hunter2@') });
  const outcome = await run.done;
  expect(target.received[0]?.headers.authorization).toBe(`Basic ${Buffer.from('ann:hunter2').toString('base64')}`);
  await target.stop();
  expect(JSON.stringify(outcome) + run.logged()).not.toContain('hunter2');
  expect(run.logged()).toContain('ann:***@');
});
