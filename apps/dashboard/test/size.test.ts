import { readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { buildSite, SITE } from '../build/site.ts';

const MOST_BYTES = 250 * 1000;

beforeAll(async () => void (await buildSite()), 600_000);

const read = (name: string) => readFileSync(path.join(SITE, name), 'utf8');
/** What a chunk cannot do without. */
const importsOf = (name: string) =>
  [...read(name).matchAll(/(?:^|[;}\s])(?:import|export)[^;()]*?["']\.\/([\w-]+\.js)["']/g)].map(
    ([, file]) => `assets/${file}`,
  );

/** Chunks that a chunk needs, and itself. */
function closure(names: readonly string[], found = new Set<string>()): Set<string> {
  for (const name of names.filter((each) => !found.has(each))) {
    found.add(name);
    closure(importsOf(name), found);
  }
  return found;
}

const zipped = (names: Iterable<string>) => [...names].reduce((sum, name) => sum + readZipped(name), 0);
function readZipped(name: string): number {
  try {
    return readFileSync(path.join(SITE, `${name}.gz`)).length;
  } catch {
    return Buffer.byteLength(read(name));
  }
}

test('before the first screen stands, at most 250 kB of script are loaded, gzipped', () => {
  const entry = [...read('index.html').matchAll(/src="\/(assets\/[\w-]+\.js)"/g)].map(([, name]) => name ?? '');
  expect(entry).toHaveLength(1);
  const first = closure(entry);
  const screens = [...first].flatMap((name) =>
    [...read(name).matchAll(/import\(["'`]\.\/(screen-[\w-]+\.js)/g)].map(([, file]) => `assets/${file}`),
  );
  expect(screens.length).toBeGreaterThan(3);
  for (const screen of screens) expect(zipped(closure([...entry, screen]))).toBeLessThan(MOST_BYTES);
});

test('the page has no script and no style in it, and names no other server', () => {
  const page = read('index.html');
  expect(page).not.toMatch(/<style|style=|<script(?![^>]*\ssrc="\/assets\/)|https?:\/\//);
});
