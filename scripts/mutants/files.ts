import { readdirSync } from 'node:fs';
import path from 'node:path';

const NOT_OURS = new Set(['node_modules', 'dist', 'generated', '.git', '.turbo']);

/** The files below a folder of the repository, from its root, in order. */
export function filesBelow(root: string, folder: string): string[] {
  return readdirSync(path.join(root, folder), { withFileTypes: true })
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap((entry) => {
      const file = `${folder}/${entry.name}`;
      if (!entry.isDirectory()) return [file];
      return NOT_OURS.has(entry.name) ? [] : filesBelow(root, file);
    });
}

export const isTest = (file: string) => file.endsWith('.test.ts');

/** A test beside the source needs no servers. */
export const isPure = (file: string) => file.includes('/src/');
