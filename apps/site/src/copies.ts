import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { copyOf, linkedFiles } from './links.ts';
import { filesIn, isFile, read } from './repository.ts';

/**
 * Writes the files of the repository to which pages link into a folder that becomes part of the site: it needs no other host
 * for them. A folder becomes one text with all of its files.
 */
export function writeCopies(folder: string, pages: readonly string[]): void {
  rmSync(folder, { recursive: true, force: true });
  for (const linked of new Set(pages.flatMap((page) => linkedFiles(page, read(page))))) {
    const copy = path.join(folder, copyOf(linked));
    mkdirSync(path.dirname(copy), { recursive: true });
    writeFileSync(copy, isFile(linked) ? read(linked) : listing(linked));
  }
}

function listing(folder: string): string {
  return filesIn(folder)
    .map((file) => `==> ${file} <==\n\n${read(file)}`)
    .join('\n');
}
