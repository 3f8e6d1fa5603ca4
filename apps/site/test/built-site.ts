import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterFile } from '@escapement/testkit';
import { bin, run } from '../../../scripts/process.mjs';

/** Not at the root of the server: links have to be relative. */
const PREFIX = '/products/escapement';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
  '.txt': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Builds the site into a folder of the test's own. */
export async function buildSite(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'escapement-site-'));
  afterFile(() => rm(folder, { recursive: true, force: true }));
  const { code, output } = await run(bin('vitepress'), ['build', 'apps/site', '--outDir', folder], { capture: true });
  if (code !== 0) throw new Error(`the site cannot be built:\n${output}`);
  return folder;
}

/** Serves a folder as any web server would: a file for a path, or 404. Returns the address of the start page. */
export async function serve(folder: string): Promise<string> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://site');
    const name = decodeURIComponent(pathname).replace(/\/$/, '/index.html');
    const inside = name.startsWith(`${PREFIX}/`) ? path.join(folder, name.slice(PREFIX.length)) : undefined;
    const file = inside?.startsWith(folder) ? readFile(inside) : Promise.reject(new Error('outside of the site'));
    file.then(
      (content) => response.writeHead(200, { 'content-type': TYPES[path.extname(name)] ?? 'text/plain' }).end(content),
      () => response.writeHead(404).end('there is no such file'),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterFile(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}${PREFIX}/`;
}
