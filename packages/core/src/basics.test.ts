import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** What a module imports to run, types aside. */
function importsOf(module: URL): string[] {
  const text = readFileSync(module, 'utf8').replaceAll(/^(?:import|export) type .*$/gm, '');
  return [...text.matchAll(/^(?:import|export)\b[^;]*?from '([^']+)'/gm)].map(([, from = '']) => from);
}

test('the basics need no library: a thread that has them stays small', () => {
  const seen = new Set<string>();
  const libraries: string[] = [];
  const walk = (module: URL): void => {
    if (seen.has(module.href)) return;
    seen.add(module.href);
    for (const from of importsOf(module)) {
      if (from.startsWith('.')) walk(new URL(from, module));
      else libraries.push(from);
    }
  };
  walk(new URL('./basics.ts', import.meta.url));
  expect(seen.size).toBeGreaterThan(3);
  expect(libraries).toEqual([]);
});
