import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ERROR_SECTIONS } from '@escapement/core';
import { expect, test } from 'vitest';
import { root } from '../process.mjs';
import { PAGES, pageUrl } from './pages.ts';
import { readTables } from './prisma-schema.ts';
import { meaningOf } from './schema.ts';

test.each(Object.entries(PAGES))('docs/reference/%s.md is what `npm run docs:reference` writes', async (name, make) => {
  expect(readFileSync(pageUrl(name), 'utf8')).toBe(await make());
});

test('each table and column has words that say what it holds', () => {
  const tables = readTables();
  expect(tables.length).toBeGreaterThan(50);
  expect(tables.filter(({ meaning }) => meaning === '').map(({ name }) => name)).toEqual([]);
  const columns = tables.flatMap(({ name, columns }) => columns.map((column) => ({ of: name, ...column })));
  expect(columns.length).toBeGreaterThan(500);
  expect(columns.filter((column) => meaningOf(column) === '').map(({ of, name }) => `${of}.${name}`)).toEqual([]);
});

test('each code that has words is used', () => {
  const files = ['packages', 'apps'].flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /^[^/]+\/src\/.*(?<!\.test)\.ts$/.test(file) && !file.includes('error-codes/'))
      .map((file) => readFileSync(path.join(root, folder, file), 'utf8')),
  );
  // A value that does not fit its schema: `${use}_invalid`.
  const used = new Set(files.flatMap((text) => [...text.matchAll(/'([a-z0-9_]+)'/g)].map(([, code]) => code)));
  const unused = ERROR_SECTIONS.flatMap(({ codes }) => Object.keys(codes)).filter(
    (code) => !used.has(code) && !/^(payload|state|output)_invalid$/.test(code),
  );
  expect(unused).toEqual([]);
});
