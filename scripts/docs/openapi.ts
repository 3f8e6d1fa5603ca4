// `npm run docs:openapi`: writes docs/reference/openapi.json from the routes, and the types of the dashboard from it.
import { writeFileSync } from 'node:fs';
import { openApiDocument, ROUTES } from '@escapement/api';
import { API_TYPES, apiTypes } from '../../apps/dashboard/build/api-types.ts';

writeFileSync(
  new URL('../../docs/reference/openapi.json', import.meta.url),
  `${JSON.stringify(openApiDocument(ROUTES), null, 2)}\n`,
);
console.log('docs/reference/openapi.json is written');

writeFileSync(API_TYPES, await apiTypes());
console.log('apps/dashboard/src/api/generated/openapi.ts is written');
