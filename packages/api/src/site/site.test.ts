import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import fastify from 'fastify';
import { afterAll, expect, test } from 'vitest';
import { createSite } from './site.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'escapement-site-'));
afterAll(() => rmSync(folder, { recursive: true }));
mkdirSync(path.join(folder, 'site', 'assets'), { recursive: true });
const write = (name: string, text: string | Buffer) => writeFileSync(path.join(folder, 'site', name), text);
write('index.html', '<!doctype html><title>the page</title>');
write('favicon.svg', '<svg/>');
write('assets/main-1.js', 'run()');
write('assets/main-1.js.gz', gzipSync('run()'));
write('assets/notes.txt', 'no file of a site');
writeFileSync(path.join(folder, 'secret.js'), 'secret');

const site = createSite(path.join(folder, 'site'));
const server = fastify();
server.setNotFoundHandler((request, reply) => {
  if (site.answer(request, reply)) return reply;
  return reply.code(404).send({ code: 'no_route' });
});

const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const ask = (url: string, headers: Record<string, string> = {}, method: 'GET' | 'POST' | 'HEAD' = 'GET') =>
  server.inject({ method, url, headers });

test.each(['/', '/runs', '/runs/01a1fb53?x=1', '/no/such/page'])(
  'a browser that opens %s gets the page, anew each time',
  async (url) => {
    const { statusCode, headers, body } = await ask(url, BROWSER);
    expect([statusCode, headers['cache-control'], body]).toEqual([
      200,
      'no-store',
      expect.stringContaining('the page'),
    ]);
  },
);

test.each(['/v1', '/v1/nothing', '/ping/x', '/assets/gone-2.js', '/openapi.json'])(
  'a browser that opens %s is told that nothing is there',
  async (url) => {
    expect((await ask(url, BROWSER)).statusCode).toBe(404);
  },
);

test('a program that mistypes a path is told so', async () => {
  expect((await ask('/v2/runs', { accept: 'application/json' })).statusCode).toBe(404);
  expect((await ask('/runs', BROWSER, 'POST')).statusCode).toBe(404);
});

test('what has a hash in its name is kept for ever, other files are asked for again', async () => {
  const asset = await ask('/assets/main-1.js');
  expect([asset.body, asset.headers['cache-control']]).toEqual(['run()', 'public, max-age=31536000, immutable']);
  const icon = await ask('/favicon.svg');
  expect(icon.headers['cache-control']).toBe('no-cache');
  expect((await ask('/favicon.svg', { 'if-none-match': String(icon.headers.etag) })).statusCode).toBe(304);
});

test('a file is sent compressed to whom takes that', async () => {
  const { headers, rawPayload } = await ask('/assets/main-1.js', { 'accept-encoding': 'gzip, deflate' });
  expect([headers['content-encoding'], rawPayload]).toEqual(['gzip', gzipSync('run()')]);
  expect(
    (await ask('/assets/main-1.js', { 'accept-encoding': 'identity' })).headers['content-encoding'],
  ).toBeUndefined();
});

test.each([
  '/../secret.js',
  '/%2e%2e/secret.js',
  '/assets/..%2f..%2fsecret.js',
  '/assets/notes.txt',
  '/assets/main-1.js.gz',
])('no file is sent that is none of the site: %s', async (url) => {
  expect((await ask(url)).statusCode).toBe(404);
});

test('every file says what a page may do: nothing of other servers, no script or style in the page, no frame', async () => {
  for (const url of ['/', '/assets/main-1.js', '/favicon.svg']) {
    const { headers } = await ask(url, BROWSER);
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("style-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|\*|https?:|data:/);
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'same-origin' });
  }
});
