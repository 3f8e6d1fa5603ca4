// `npm run dev`: servers, migrations, a scheduler, a worker and the API from source, until Ctrl-C. With `-- --examples` the
// worker has the tasks of examples/ too.
import { runDev } from '@escapement/dev';
import { clone } from './clone.ts';

const USAGE = `npm run dev [-- --examples]

Starts Postgres, Redis, a scheduler, a worker and the API with its dashboard from the sources of this clone, until Ctrl-C.

  --examples  the worker runs the tasks of examples/ too
`;

const words = process.argv.slice(2);
const unknown = words.find((word) => !['--examples', '--help', '-h'].includes(word));
if (words.includes('--help') || words.includes('-h')) {
  process.stdout.write(USAGE);
} else if (unknown !== undefined) {
  process.stderr.write(`npm run dev does not know ${unknown}\n\n${USAGE}`);
  process.exitCode = 2;
} else {
  await runDev(clone({ withExamples: words.includes('--examples') }), process.env);
  process.exitCode = 1;
}
