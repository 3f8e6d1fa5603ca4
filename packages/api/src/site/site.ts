import type { FastifyReply, FastifyRequest } from 'fastify';
import { readSite, type SiteFile } from './site-files.ts';
import { SITE_HEADERS } from './site-policy.ts';

const PAGE = '/index.html';
/** Of programs: no page stands there. */
const NO_PAGES = ['/v1', '/ping', '/assets', '/openapi.json'];
const FOREVER = 'public, max-age=31536000, immutable';
/** It is asked for each time, and sent only where it is another one. */
const ASK_AGAIN = 'no-cache';

/** The dashboard: files that are sent as they are. */
export interface Site {
  /** Sends the file of a path, or the page that shows what stands at it. False: neither is there. */
  answer(request: FastifyRequest, reply: FastifyReply): boolean;
}

/** Serves the files of a built site, beside the routes of the API. Throws where the folder has no page. */
export function createSite(folder: string): Site {
  const files = readSite(folder);
  const page = files.get(PAGE);
  if (!page) throw new Error(`there is no index.html in ${folder}`);
  return {
    answer(request, reply) {
      const file = files.get(pathOf(request)) ?? (wantsPage(request) ? page : undefined);
      if (!file || (request.method !== 'GET' && request.method !== 'HEAD')) return false;
      send(file, { request, reply, cache: file === page ? 'no-store' : file.isImmutable ? FOREVER : ASK_AGAIN });
      return true;
    },
  };
}

function pathOf({ url }: FastifyRequest): string {
  return url.split('?')[0] ?? '';
}

/** A browser that opens an address, as it says in `Accept`. A program that mistypes one is told so. */
function wantsPage(request: FastifyRequest): boolean {
  const path = pathOf(request);
  if (path === '/') return true;
  if (NO_PAGES.some((prefix) => path === prefix || path.startsWith(`${prefix}/`))) return false;
  return /\btext\/html\b/.test(request.headers.accept ?? '');
}

function send(
  { plain, br, gzip, contentType, etag }: SiteFile,
  { request, reply, cache }: { request: FastifyRequest; reply: FastifyReply; cache: string },
): void {
  const encodings = request.headers['accept-encoding']?.toString() ?? '';
  const [encoding, body] =
    br && /\bbr\b/.test(encodings) ? ['br', br] : gzip && /\bgzip\b/.test(encodings) ? ['gzip', gzip] : ['', plain];
  const tag = `"${etag}${encoding && `-${encoding}`}"`;
  reply.headers({ ...SITE_HEADERS, 'cache-control': cache, vary: 'accept-encoding', etag: tag });
  if (encoding) reply.header('content-encoding', encoding);
  if (cache !== 'no-store' && request.headers['if-none-match'] === tag) return void reply.code(304).send();
  reply.type(contentType).send(body);
}
