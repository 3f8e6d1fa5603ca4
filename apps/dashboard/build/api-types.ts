import { readFile } from 'node:fs/promises';
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';

const DOCUMENT = new URL('../../../docs/reference/openapi.json', import.meta.url);

/** Where the types of the API are kept. */
export const API_TYPES = new URL('../src/api/generated/openapi.ts', import.meta.url);

/** The types of all that the API is asked and answers, from its document. */
export async function apiTypes(): Promise<string> {
  const document: OpenAPI3 = JSON.parse(await readFile(DOCUMENT, 'utf8'));
  const types = astToString(await openapiTS(document, { defaultNonNullable: false }));
  return `// Written by \`npm run docs:openapi\` from docs/reference/openapi.json.\n${types}`;
}
