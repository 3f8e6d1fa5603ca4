import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { testApi } from './api.ts';

const api = await testApi();
const { ask, errors } = api;

test.each([
  [{ path: '/v1/nothing' }, 404, 'no_route'],
  [{ method: 'PUT', path: '/v1/me' }, 405, 'no_method'],
  [{ path: '/v1/me', headers: { host: 'evil.example' } }, 421, 'unknown_host'],
  [{ path: '/v1/me', headers: { host: 'localhost.evil.example' } }, 421, 'unknown_host'],
  [{ method: 'POST', path: '/v1/tasks', headers: { 'content-type': 'text/xml' }, body: 'x' }, 415, 'bad_media_type'],
  [{ method: 'POST', path: '/v1/tasks', body: { name: 'x'.repeat(2_000_000) } }, 413, 'body_too_large'],
  [{ path: '/v1/tasks/not-an-id' }, 400, 'bad_request'],
  [{ path: `/v1/tasks/${'x'.repeat(600)}` }, 404, 'no_route'],
  [{ path: '/v1/tasks?limit=2&limit=3' }, 400, 'bad_request'],
  [{ path: '/v1/tasks?name=%' }, 200, undefined],
  [{ path: '/v1/pools/%00' }, 400, 'bad_text'],
  [{ path: '/v1/key?key=%00' }, 400, 'bad_text'],
  [{ path: '/v1/pools/%E0%A4%A' }, 400, 'bad_path'],
  [{ path: '/v1/tasks?name=%00' }, 400, 'bad_text'],
  [
    { method: 'POST', path: '/v1/preview', body: { name: 'a', handler: { type: 'shell', command: 'x\u0000' } } },
    400,
    'bad_text',
  ],
  [{ method: 'POST', path: '/v1/runs', text: '{"task":"a","payload":9007199254740993}' }, 422, 'json_number'],
  [
    { method: 'POST', path: '/v1/runs', text: `{"task":${'['.repeat(10_000)}${']'.repeat(10_000)}}` },
    422,
    'json_too_deep',
  ],
  [
    { method: 'POST', path: '/v1/runs', text: '{"task":"a","payload":{"__proto__":{"a":1}}}' },
    422,
    'json_forbidden_key',
  ],
  [{ method: 'POST', path: '/v1/runs', text: Buffer.from('{"task":"M\xfcller"}', 'latin1') }, 400, 'bad_text'],
  [{ method: 'POST', path: '/v1/runs', body: { task: 'a', at: '1969-12-31T23:59:59Z' } }, 400, 'bad_request'],
  [{ path: '/v1/runs?since=0000-01-01T00:00:00Z' }, 400, 'bad_request'],
])('%j is %i %s', async (request, status, code) => {
  const answer = await ask(request);
  expect([answer.status, answer.body?.code]).toEqual([status, code]);
  if (status >= 400) expect(answer.headers['content-type']).toContain('application/problem+json');
  expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  expect(errors).toEqual([]);
});

test('a HEAD is answered as a GET, without its body', async () => {
  const { status, text: body, headers } = await ask({ method: 'HEAD', path: '/v1/me' });
  expect([status, body, Number(headers['content-length']) > 100]).toEqual([200, '', true]);
});

test('what cannot be read as HTTP ends its connection, and no other', async () => {
  const { url } = await api.api.start();
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.end('NONSENSE\r\n\r\n');
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 /);
  expect((await fetch(`${url}/openapi.json`)).status).toBe(200);
});

test('while Postgres is away the answer is 503, and nothing of it is told', async () => {
  const lost = await testApi('default', 'lost');
  const token = await lost.token({});
  const works = lost.db.pool.query.bind(lost.db.pool);
  const away = Object.assign(new Error('connect ECONNREFUSED 10.9.8.7:5432'), { code: 'ECONNREFUSED' });
  lost.db.pool.query = (() => Promise.reject(away)) as typeof lost.db.pool.query;
  const answer = await lost.ask({ path: '/v1/me' }, token);
  expect([answer.status, answer.body.code, answer.headers['retry-after']]).toEqual([503, 'database_away', '2']);
  expect(answer.text).not.toContain('10.9.8.7');
  lost.db.pool.query = works;
  expect((await lost.ask({ path: '/v1/me' }, token)).status).toBe(200);
});
