// Runs the command line as it was bundled. In a clone the bundle is made anew where a source has changed since.
import { existsSync, readFileSync } from 'node:fs';

const bundle = new URL('../dist/bundle/', import.meta.url);
/** docs/reference/cli.md has the codes. */
const [BAD_SURROUNDINGS, OWN_MISTAKE] = [2, 70];
const PROGRAMS = ['scheduler', 'worker', 'api', 'all'];

const [command, program, ...more] = process.argv.slice(2);
const reports = command === 'report' && more.includes('--');
// This process becomes the program, before anything of the command line is loaded. What is no program, the command line refuses.
if (command === 'start' && more.length === 0 && PROGRAMS.includes(program ?? '')) await start();
// cron starts this for each line: it is to cost next to nothing.
else if (reports && existsSync(new URL('bundle.json', bundle))) await runBundled('report');
else await runCommand();

async function start() {
  // Stacks name lines of the sources.
  process.setSourceMapsEnabled(true);
  const main = new URL(import.meta.resolve(`@escapement/${program}-app/main`));
  if (existsSync(main)) await import(main.href);
  else tell(`${program} is not built`, 'run `npm run build`');
}

async function runCommand() {
  if (existsSync(new URL('../src/main.ts', import.meta.url))) {
    const { upToDate } = await import('../bundle/up-to-date.js');
    await upToDate().catch(({ message }) =>
      tell(`escapement cannot be built from its sources: ${message}`, 'mend them, or run `npm run setup`'),
    );
  }
  await runBundled('entry');
}

/** @param {'entry' | 'report'} part */
async function runBundled(part) {
  /** @type {{ entry: string, report?: string }} */
  const list = JSON.parse(readFileSync(new URL('bundle.json', bundle), 'utf8'));
  await import(new URL(list[part] ?? list.entry, bundle).href).catch((error) => {
    // A mistake of ours keeps its stack; a system that lets no more files be opened is not one.
    if (error?.syscall === undefined) throw error;
    tell(
      `escapement cannot be loaded: ${error.message}`,
      'where too many files are open raise the limit: ulimit -n 1024',
      BAD_SURROUNDINGS,
    );
  });
}

/**
 * @param {string} what
 * @param {string} fix
 */
function tell(what, fix, code = OWN_MISTAKE) {
  process.stderr.write(`error: ${what}\n  ${fix}\n`);
  process.exit(code);
}
