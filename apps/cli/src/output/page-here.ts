import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The file of a page of the documents on this host, with its heading: of the clone that this command is of, or of its package, which has them too.
 * A page that is not there, such as one that a later server names, stays as it is named in the repository.
 */
export function pageHere(page: string): string {
  const [file = ''] = page.split('#');
  let folder = path.dirname(fileURLToPath(import.meta.url));
  while (folder !== path.dirname(folder)) {
    if (existsSync(path.join(folder, file))) return path.join(folder, page);
    folder = path.dirname(folder);
  }
  return page;
}
