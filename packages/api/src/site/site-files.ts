import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** A file of the site as it is sent: as it is, and compressed where the build has done that. */
export interface SiteFile {
  contentType: string;
  etag: string;
  /** Its name has a hash of its content in it: whoever has it need not ask again. */
  isImmutable: boolean;
  plain: Buffer;
  br: Buffer | undefined;
  gzip: Buffer | undefined;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};

/**
 * All files of a built site, by their path on the server: `/assets/main-x.js`. They are read once and kept, so a request can name none but
 * these, and an update of the folder is not seen half done. Of other kinds than those of a site none is taken.
 */
export function readSite(folder: string): ReadonlyMap<string, SiteFile> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && TYPES[path.extname(entry.name)] !== undefined)
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).split(path.sep).join('/'));
  return new Map(names.map((name) => [`/${name}`, readSiteFile(folder, name)]));
}

function readSiteFile(folder: string, name: string): SiteFile {
  const file = path.join(folder, name);
  const plain = readFileSync(file);
  const compressed = (ending: string) =>
    existsSync(`${file}${ending}`) ? readFileSync(`${file}${ending}`) : undefined;
  return {
    contentType: TYPES[path.extname(name)] ?? 'application/octet-stream',
    etag: createHash('sha256').update(plain).digest('base64url').slice(0, 22),
    isImmutable: name.startsWith('assets/'),
    plain,
    br: compressed('.br'),
    gzip: compressed('.gz'),
  };
}
