import { existsSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../../', import.meta.url));
/** Where `tsconfig.programs.json` puts what is built of the tests. */
export const BUILT_TESTS = join('dist', 'tests');

/**
 * What was built from a source file, or from a folder of them: processes start from it, without a loader. Vitest's global set-up
 * builds. Throws where there is nothing: programs and tasks of tests are listed in `tsconfig.programs.json`.
 */
export function built(source: string | URL): string {
  const file = source instanceof URL ? fileURLToPath(source) : source;
  const target = join(root, builtPath(relative(root, file)));
  if (!existsSync(target)) throw new Error(`${file} is not built: ${target} is not there`);
  return target;
}

/** Of a package, beside its sources; of tests, in a folder that has all of them. */
function builtPath(path: string): string {
  const [kind, name, folder, ...rest] = path.split(sep);
  const place = folder === 'src' ? join(kind ?? '', name ?? '', 'dist', ...rest) : join(BUILT_TESTS, path);
  return place.replace(/\.ts$/, '.js');
}
