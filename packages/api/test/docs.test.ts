import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { testApi } from './api.ts';

const { api, ask } = await testApi();

test('/docs is a page for anyone, under a policy that allows its own style and nothing else', async () => {
  const { status, headers, text } = await ask({ path: '/docs' }, null);
  expect(status).toBe(200);
  const [, style = ''] = /<style>([^<]*)<\/style>/.exec(text) ?? [];
  const digest = createHash('sha256').update(style).digest('base64');
  expect(headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `default-src 'none'; style-src 'sha256-${digest}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'no-cache',
  });
  expect(text).toContain('<article id="listRuns">');
});

test('it is compressed for whoever can read that', async () => {
  const { text } = await ask({ path: '/docs' }, null);
  const answer = await api.server.inject({ url: '/docs', headers: { 'accept-encoding': 'br, gzip' } });
  expect(answer.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' });
  expect(gunzipSync(answer.rawPayload).toString()).toBe(text);
});

test('under another name than that of the server it is refused, as all is', async () => {
  const answer = await ask({ path: '/docs', headers: { host: 'evil.example' } }, null);
  expect([answer.status, answer.body.code]).toEqual([421, 'unknown_host']);
});
