import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { API_TYPES, apiTypes } from '../build/api-types.ts';

test('the types are those of the document of the API: npm run docs:openapi writes them', async () => {
  expect(await readFile(API_TYPES, 'utf8')).toBe(await apiTypes());
});
