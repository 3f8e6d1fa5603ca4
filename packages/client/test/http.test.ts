import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { createClient } from '@escapement/client';
import { afterFile } from '@escapement/testkit';
import { expect, test } from 'vitest';

interface Seen {
  method: string | undefined;
  url: string | undefined;
  headers: IncomingMessage['headers'];
  body: string;
}

/** A server that answers each request in its turn, and the last ones alike. */
async function serverOf(...answers: RequestListener[]): Promise<{ url: string; seen: Seen[] }> {
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    const { method, url, headers } = request;
    seen.push({ method, url, headers, body: await text(request) });
    answers[Math.min(seen.length, answers.length) - 1]?.(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterFile(async () => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`, seen };
}

const cut: RequestListener = ({ socket }) => socket.destroy();
const made: RequestListener = (_, response) =>
  response.writeHead(201, { 'content-type': 'application/json' }).end('{"runs":[{"id":"r1","worker":null}]}');
const refuses =
  (status: number, headers: Record<string, string>, problem: object): RequestListener =>
  (_, response) =>
    response.writeHead(status, { 'content-type': 'application/problem+json', ...headers }).end(JSON.stringify(problem));

test('a trigger whose answer is lost is sent again with the same key', async () => {
  const { url, seen } = await serverOf(cut, made);
  const run = await createClient({ url: `${url}/escapement/`, token: 't0ken' }).trigger('invoice', { order: 1 });
  expect(run.id).toBe('r1');
  const [first, second] = seen;
  expect(first).toMatchObject({ method: 'POST', url: '/escapement/v1/runs' });
  expect(first?.headers.authorization).toBe('Bearer t0ken');
  expect(JSON.parse(first?.body ?? '')).toEqual({ task: 'invoice', payload: { order: 1 }, single: true });
  expect(second?.headers['idempotency-key']).toMatch(/^[0-9a-f-]{36}$/);
  expect([second?.headers['idempotency-key'], second?.body]).toEqual([first?.headers['idempotency-key'], first?.body]);
});

test('a server that is busy or away is asked again, but a cancellation is not', async () => {
  const busy = refuses(503, { 'retry-after': '0' }, { code: 'database_away', detail: 'Postgres does not answer' });
  const { url, seen } = await serverOf(busy, made);
  await createClient({ url, token: 't' }).trigger('invoice');
  expect(seen).toHaveLength(2);
  const other = await serverOf(busy);
  await expect(createClient({ url: other.url, token: 't' }).run('r1').cancel()).rejects.toMatchObject({
    code: 'database_away',
    status: 503,
  });
  expect(other.seen).toHaveLength(1);
});

test('who is to wait for long is told at once', async () => {
  const late = refuses(429, { 'retry-after': '900' }, { code: 'too_many_sign_ins', detail: 'later' });
  const { url, seen } = await serverOf(late);
  await expect(createClient({ url, token: 't' }).trigger('a')).rejects.toMatchObject({ retryAfterMs: 900_000 });
  expect(seen).toHaveLength(1);
});

test('a refusal has its code, each value that is wrong, what to do, and the id of the request', async () => {
  const errors = [
    { in: 'body', path: 'task', message: 'expected text' },
    { in: 'body', path: '', message: 'unknown key "x"' },
  ];
  const told = { code: 'bad_request', detail: 'the body: 2 values are wrong', fix: 'mend them', errors };
  const { url } = await serverOf(refuses(400, {}, { ...told, requestId: 'q1' }));
  await expect(createClient({ url, token: 't' }).trigger('a')).rejects.toMatchObject({
    name: 'ApiError',
    code: 'bad_request',
    message: 'the body: 2 values are wrong: task: expected text; unknown key "x"',
    ...{ fix: 'mend them', status: 400, requestId: 'q1' },
  });
});

test('a token is sent nowhere else', async () => {
  const elsewhere = await serverOf(made);
  const { url } = await serverOf((_, response) => response.writeHead(307, { location: elsewhere.url }).end());
  await expect(createClient({ url, token: 't' }).trigger('a')).rejects.toMatchObject({
    code: 'api_answer',
    message: expect.stringContaining(`answers 307 and sends on to ${elsewhere.url}`),
  });
  expect(elsewhere.seen).toEqual([]);
});

test('an answer of something else is shown', async () => {
  const { url } = await serverOf((_, response) => response.writeHead(404).end('<h1>Not\nfound</h1>'));
  await expect(createClient({ url, token: 't' }).run('r1').look()).rejects.toMatchObject({
    code: 'api_answer',
    message: `${url} answers 404 with: <h1>Not found</h1>`,
  });
});

test('a server that never answers is given up, a wait that is aborted at once', async () => {
  const { url } = await serverOf(() => {});
  await expect(createClient({ url, token: 't', timeoutMs: 50 }).run('r1').cancel()).rejects.toMatchObject({
    code: 'api_unreachable',
    message: `the API at ${url} does not answer: it took longer than 50 ms`,
  });
  const stop = new AbortController();
  const wait = createClient({ url, token: 't' }).run('r1').result({ signal: stop.signal });
  stop.abort(new Error('enough'));
  await expect(wait).rejects.toThrow('enough');
});

test.each(['', 'localhost:4747', 'ftp://host', 'http://user:secret@host', 'http://host/?a=b'])(
  '%j is no URL of an API',
  (url) => {
    expect(() => createClient({ url, token: 't' })).toThrow(/is not the URL of an API/);
  },
);

test.each(['', 'two words', 'line\n'])('%j is no token', (token) => {
  expect(() => createClient({ url: 'http://localhost', token })).toThrow(/the token for the API/);
});
