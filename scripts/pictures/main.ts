// `npm run docs:pictures`: draws the pictures of the documents.
import { mkdirSync, writeFileSync } from 'node:fs';
import { flowPicture } from './flow.ts';

const file = new URL('../../docs/pictures/flow.svg', import.meta.url);
mkdirSync(new URL('.', file), { recursive: true });
writeFileSync(file, flowPicture());
