import { afterAll, beforeEach, expect, test } from 'vitest';
import { startHttp } from './http.ts';
import { startTarget } from './target-server.ts';

const target = await startTarget((_, response) => response.end('fine'));
afterAll(() => target.stop());
beforeEach(() => {
  target.received.length = 0;
});

test('a request names its run, so that the receiver can refuse a repetition or an old fence', async () => {
  const run = startHttp({ url: `${target.url}/hook?a=1` });
  expect(await run.done).toEqual({ status: 'succeeded', output: { status: 200 } });
  expect(target.received[0]).toMatchObject({
    method: 'GET',
    path: '/hook?a=1',
    body: '',
    headers: {
      'idempotency-key': '01941f29-7c00-7000-8000-000000000001',
      'escapement-run-id': '01941f29-7c00-7000-8000-000000000001',
      'escapement-task': 'nightly',
      'escapement-attempt': '2',
      'escapement-scheduled-for': '2025-01-01T00:00:00.000Z',
      'escapement-lateness-ms': '1200',
      'escapement-origin': 'schedule',
      'escapement-requested-by': 'ann@b%C3%BCro',
      'escapement-key': 'nightly',
      'escapement-fence': '7',
    },
  });
});

interface BodyCase {
  title: string;
  spec: Record<string, unknown>;
  sent: { method: string; body: string; type: string | undefined };
}

const payload = { p: 1 };

test.each<BodyCase>([
  {
    title: 'a JSON body makes it a POST',
    spec: { body: { a: 1 } },
    sent: { method: 'POST', body: '{"a":1}', type: 'application/json' },
  },
  {
    title: 'text is sent as it is',
    spec: { body: 'plain ä' },
    sent: { method: 'POST', body: 'plain ä', type: 'text/plain; charset=utf-8' },
  },
  {
    title: 'the payload is the default body',
    spec: { method: 'PUT' },
    sent: { method: 'PUT', body: '{"p":1}', type: 'application/json' },
  },
  {
    title: "the task's own body goes before the payload",
    spec: { method: 'POST', body: [] },
    sent: { method: 'POST', body: '[]', type: 'application/json' },
  },
  {
    title: 'a method without a body sends no payload',
    spec: { method: 'DELETE' },
    sent: { method: 'DELETE', body: '', type: undefined },
  },
])('$title', async ({ spec, sent }) => {
  await startHttp({ url: target.url, ...spec }, payload).done;
  const [received] = target.received;
  expect({ method: received?.method, body: received?.body, type: received?.headers['content-type'] }).toEqual(sent);
});

test("the task's headers win over ours, but for those that name the run", async () => {
  const headers = { 'content-type': 'application/xml', 'IDEMPOTENCY-KEY': 'mine', 'Escapement-Fence': '99' };
  await startHttp({ url: target.url, method: 'POST', body: '<a/>', headers }).done;
  expect(target.received[0]?.headers).toMatchObject({
    'content-type': 'application/xml',
    'idempotency-key': 'mine',
    'escapement-fence': '7',
  });
});

test('a secret goes into its header', async () => {
  await startHttp({ url: target.url, headers: { Authorization: { secret: 'TOKEN' } } }, undefined, () => 'Bearer x')
    .done;
  expect(target.received[0]?.headers.authorization).toBe('Bearer x');
});

test.each([
  ['a secret that the worker lacks', 'NONE', 'no secret "NONE"'],
  ['a secret with a line break', 'BROKEN', 'the header "X-Key" or its value is not allowed'],
])('%s sends nothing and is not tried again', async (_, secret, message) => {
  const headers = { 'X-Key': { secret } };
  const secrets = (name: string) => (name === 'BROKEN' ? 'a\nb' : undefined);
  expect(await startHttp({ url: target.url, headers }, undefined, secrets).done).toMatchObject({
    status: 'failed',
    retry: 'never',
    error: { message: expect.stringContaining(message) },
  });
  expect(target.received).toEqual([]);
});
