import { existsSync, readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, test } from 'vitest';
import { breakingChanges, mayBreak, type OpenApi } from './breaking-changes.ts';

const file = (name: string) => new URL(`../../docs/reference/${name}`, import.meta.url);
const read = (name: string): OpenApi => JSON.parse(readFileSync(file(name), 'utf8'));
const now = read('openapi.json');

// The first release writes the file. Before it, nothing is promised.
test.runIf(existsSync(file('openapi-released.json')))(
  'what the released API promised is kept, or API_VERSION says that it is not',
  () => {
    const released = read('openapi-released.json');
    if (mayBreak(released.info.version, now.info.version)) return;
    const fix = 'keep it, or raise API_VERSION in packages/api/src/openapi.ts';
    expect({ fix, breaks: breakingChanges(released, now) }).toEqual({ fix, breaks: [] });
  },
);

test('a field that goes from any answer is noticed', () => {
  const { schemas } = now.components;
  const { namespace, ...others } = Object(schemas.Me?.properties);
  const without = { ...now, components: { schemas: { ...schemas, Me: { ...schemas.Me, properties: others } } } };
  expect([namespace !== undefined, breakingChanges(now, without)]).toEqual([
    true,
    ['GET /v1/me: answer 200 namespace: is gone'],
  ]);
});

test('openapi.json is a document of OpenAPI 3.1', async () => {
  const validator = new Validator();
  const { valid, errors } = await validator.validate({ ...now });
  expect([validator.version, valid, errors]).toEqual(['3.1', true, undefined]);
});
