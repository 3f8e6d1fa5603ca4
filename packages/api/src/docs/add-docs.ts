import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { shownDocument } from './document.ts';
import { docsPage } from './page.ts';
import { STYLE } from './style.ts';

/** Nothing is loaded and no script runs; the page's own style is known by its digest. */
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS = {
  'content-security-policy': POLICY,
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-cache',
  vary: 'accept-encoding',
};

/** `GET /docs`: the OpenAPI document as a page, for anyone, as the document is. It is made when it is asked for first. */
export function addDocs(server: FastifyInstance, document: () => string): void {
  let made: { plain: Buffer; zipped: Buffer } | undefined;
  server.get('/docs', (request, reply) => {
    made ??= make(document());
    const zips = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
    return reply
      .headers({ ...HEADERS, ...(zips ? { 'content-encoding': 'gzip' } : {}) })
      .type('text/html; charset=utf-8')
      .send(zips ? made.zipped : made.plain);
  });
}

function make(document: string): { plain: Buffer; zipped: Buffer } {
  const plain = Buffer.from(docsPage(shownDocument.parse(JSON.parse(document))));
  return { plain, zipped: gzipSync(plain) };
}
