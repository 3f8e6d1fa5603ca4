// `npm run docs:openapi`: writes docs/reference/openapi.json from the routes.
import { writeFileSync } from 'node:fs';
import { openApiDocument, ROUTES } from '@escapement/api';

const file = new URL('../docs/reference/openapi.json', import.meta.url);
writeFileSync(file, `${JSON.stringify(openApiDocument(ROUTES), null, 2)}\n`);
console.log('docs/reference/openapi.json is written');
