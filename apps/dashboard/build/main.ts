// `npm run build`: the site, where there is none of the sources as they stand.
import { buildSite } from './site.ts';

await buildSite();
