// `npm run docs:openapi [-- --released]`: writes docs/reference/openapi.json from the routes; for a release also
// openapi-released.json, which later documents are compared with. And the types of the dashboard from it.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { openApiDocument, ROUTES } from '@escapement/api';
import { API_TYPES, apiTypes } from '../apps/dashboard/build/api-types.ts';

const { values } = parseArgs({ options: { released: { type: 'boolean', default: false } } });
const written = `${JSON.stringify(openApiDocument(ROUTES), null, 2)}\n`;
for (const name of values.released ? ['openapi.json', 'openapi-released.json'] : ['openapi.json']) {
  writeFileSync(new URL(`../docs/reference/${name}`, import.meta.url), written);
  console.log(`docs/reference/${name} is written`);
}

writeFileSync(API_TYPES, await apiTypes());
console.log('apps/dashboard/src/api/generated/openapi.ts is written');
