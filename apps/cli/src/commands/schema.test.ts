import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { toJson } from '../output/print.ts';
import { fileSchema } from './schema.ts';

test('docs/reference/tasks.schema.json is the schema in force: npx escapement schema > docs/reference/tasks.schema.json', async () => {
  const published = await readFile(new URL('../../../../docs/reference/tasks.schema.json', import.meta.url), 'utf8');
  expect(published).toBe(`${toJson(fileSchema())}\n`);
});
