// `npm run dev`: servers, migrations, a scheduler, a worker and the API from source, until Ctrl-C. With `-- --examples` the
// worker has the tasks of examples/ too, with `-- --join` it joins a fleet.
import { runDev } from '@escapement/dev';
import { clone } from './clone.ts';

const USAGE = `npm run dev [-- --examples --join]

Starts Postgres, Redis, a scheduler, a worker and the API with its dashboard from the sources of this clone, until Ctrl-C.

  --examples  the worker runs the tasks of examples/ too
  --join      joins a fleet that works on DATABASE_URL already: migrates its database, and runs its tasks
`;

const words = process.argv.slice(2);
const unknown = words.find((word) => !['--examples', '--join', '--help', '-h'].includes(word));
if (words.includes('--help') || words.includes('-h')) {
  process.stdout.write(USAGE);
} else if (unknown !== undefined) {
  process.stderr.write(`npm run dev does not know ${unknown}\n\n${USAGE}`);
  process.exitCode = 2;
} else {
  await runDev(clone({ withExamples: words.includes('--examples') }), process.env, { join: words.includes('--join') });
  process.exitCode = 1;
}
