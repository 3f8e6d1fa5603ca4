// `npm run dev`: servers, migrations, a scheduler, a worker and the API from source, until Ctrl-C. With `-- --examples` the
// worker has the tasks of examples/ too.
import { runDev } from '@escapement/dev';
import { clone } from './clone.ts';

await runDev(clone({ withExamples: process.argv.includes('--examples') }), process.env);
process.exitCode = 1;
