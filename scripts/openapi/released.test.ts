import { readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, test } from 'vitest';
import { breakingChanges, mayBreak, type OpenApi } from './breaking-changes.ts';

const read = (name: string): OpenApi =>
  JSON.parse(readFileSync(new URL(`../../docs/reference/${name}`, import.meta.url), 'utf8'));
const released = read('openapi-released.json');
const now = read('openapi.json');

test('what the released API promised is kept, or API_VERSION says that it is not', () => {
  if (mayBreak(released.info.version, now.info.version)) return;
  const fix = 'keep it, or raise API_VERSION in packages/api/src/openapi.ts';
  expect({ fix, breaks: breakingChanges(released, now) }).toEqual({ fix, breaks: [] });
});

test('a field that goes from any answer is noticed', () => {
  const { schemas } = now.components;
  const { namespace, ...others } = Object(schemas.Me?.properties);
  const without = { ...now, components: { schemas: { ...schemas, Me: { ...schemas.Me, properties: others } } } };
  expect([namespace !== undefined, breakingChanges(now, without)]).toEqual([
    true,
    ['GET /v1/me: answer 200 namespace: is gone'],
  ]);
});

test.each(['openapi.json', 'openapi-released.json'])('%s is a document of OpenAPI 3.1', async (name) => {
  const validator = new Validator();
  const { valid, errors } = await validator.validate({ ...read(name) });
  expect([validator.version, valid, errors]).toEqual(['3.1', true, undefined]);
});
