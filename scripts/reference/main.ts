// `npm run docs:reference`: writes the pages of docs/reference that are made of the code.
import { writeFileSync } from 'node:fs';
import { PAGES, pageUrl } from './pages.ts';

for (const [name, make] of Object.entries(PAGES)) {
  writeFileSync(pageUrl(name), await make());
  console.log(`docs/reference/${name}.md is written`);
}
