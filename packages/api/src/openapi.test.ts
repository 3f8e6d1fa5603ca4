import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openApiDocument } from './openapi.ts';
import { ROUTES } from './routes/index.ts';

test('docs/reference/openapi.json is what `npm run docs:openapi` writes', () => {
  const written = readFileSync(new URL('../../../docs/reference/openapi.json', import.meta.url), 'utf8');
  expect(written).toBe(`${JSON.stringify(openApiDocument(ROUTES), null, 2)}\n`);
});

test('every reference leads to a schema', () => {
  const document = JSON.stringify(openApiDocument(ROUTES));
  const named = [...document.matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name);
  const { schemas } = JSON.parse(document).components;
  expect(named.filter((name) => !Object.hasOwn(schemas, name ?? ''))).toEqual([]);
});

test('a schema that has a name is written out under it', () => {
  const { schemas } = JSON.parse(JSON.stringify(openApiDocument(ROUTES))).components;
  const hollow = Object.entries(schemas).filter(([name, schema]) => isHollow(name, schema));
  expect(hollow.map(([name]) => name)).toEqual([]);
  expect(schemas.Me.properties).toHaveProperty('principal');
});

function isHollow(name: string, schema: unknown): boolean {
  return JSON.stringify(schema) === JSON.stringify({ $ref: `#/components/schemas/${name}` });
}
