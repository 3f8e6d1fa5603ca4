import { readFileSync } from 'node:fs';
import { z } from 'zod';

const lock = z.object({
  packages: z.record(z.string(), z.object({ version: z.string().optional(), link: z.boolean().optional() })),
});

/**
 * The versions that this repository is tested with, for npm to take in an install: what others publish today must not fail our tests,
 * and an install finds all of it in the cache of npm. Of what is locked in several versions, npm chooses.
 *
 * @param direct What the project names itself: it says the version there, and nowhere else.
 */
export function testedVersions(direct: readonly string[]): Record<'versions' | 'overrides', Record<string, string>> {
  const locked = lockedVersions();
  const single = [...locked].flatMap(([name, [only, ...more]]): [string, string][] =>
    only && more.length === 0 ? [[name, only]] : [],
  );
  return {
    versions: Object.fromEntries(single.filter(([name]) => direct.includes(name))),
    overrides: Object.fromEntries(single.filter(([name]) => !direct.includes(name))),
  };
}

function lockedVersions(): Map<string, Set<string>> {
  const text = readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8');
  const versions = new Map<string, Set<string>>();
  for (const [path, { version, link }] of Object.entries(lock.parse(JSON.parse(text)).packages)) {
    const [, name] = /.*node_modules\/(.+)$/.exec(path) ?? [];
    if (name === undefined || version === undefined || link) continue;
    versions.set(name, (versions.get(name) ?? new Set()).add(version));
  }
  return versions;
}
