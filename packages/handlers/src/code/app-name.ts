import { readFile } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';

/**
 * What the code at these places is called if nobody has said so: name of the package around it and the place in there,
 * `shop/tasks`, which stays the same from release to release wherever they lie. Outside of a package, the place's own name.
 */
export async function appNameOf(paths: readonly string[]): Promise<string> {
  const names = await Promise.all(paths.map(nameOf));
  return names.length === 0 ? 'none' : names.toSorted().join(',');
}

async function nameOf(path: string): Promise<string> {
  for (let folder = path; folder !== dirname(folder); folder = dirname(folder)) {
    const name = await packageName(folder);
    if (name !== undefined) return [name, ...relative(folder, path).split(sep)].filter((part) => part !== '').join('/');
  }
  return basename(path);
}

async function packageName(folder: string): Promise<string | undefined> {
  try {
    const manifest: unknown = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    const name = typeof manifest === 'object' && manifest !== null && 'name' in manifest ? manifest.name : undefined;
    return typeof name === 'string' && name !== '' ? name : undefined;
  } catch {
    return undefined;
  }
}
