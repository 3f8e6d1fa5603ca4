import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { toJson } from '../output/print.ts';
import { fileSchema } from './schema.ts';

test('docs/tasks.schema.json is the schema in force: npx escapement schema > docs/tasks.schema.json', async () => {
  const published = await readFile(new URL('../../../../docs/tasks.schema.json', import.meta.url), 'utf8');
  expect(published).toBe(`${toJson(fileSchema())}\n`);
});
