// `npm run mutants`: how many small faults in the code the tests find. Run with --help for its options.
import { run } from './process.mjs';
import { setUp } from './setup.mjs';

const USAGE = `npm run mutants [-- OPTIONS]

Puts faults into a copy of the code, one at a time: a border moved, a condition turned round, a statement, a guard, a
predicate or a lock taken away, in TypeScript, SQL and Lua. Runs the tests that reach the file. Prints each fault that no test
found. Exit code 1: in some area fewer than 95 % were found, or none was judged; 2: an option is wrong.

  --count N     faults in all, in equal parts of each area (default 100)
  --seed N      which ones; the same seed draws the same from the same code (default 1)
  --skip N      leaves out the first N of each area, so that a long run can be made in pieces; each says where the next begins
  --only AREA   core, queue, scheduler or store; may be given several times
  --file F[:L]  all faults of this file of an area, or of its line L, in their order; --seed and --count say nothing then
  --tests F     judge by this file of tests alone, not by all that reach the fault: quick, while tests are written; may be given
                several times
  --list        print how many faults each area, or the file, has and end

A comment above its line marks a fault that changes nothing: the operator, the beginning of the text that the fault replaces if
others of the line have the same operator, and the reason:
  // Equivalent mutant (border): a step is 1 or -1.
  -- Equivalent mutant (predicate removed, r.phase): a run that is running is live: the phase is for the index.
Such a fault is judged as well: if a test finds it, the marker is stale, and the exit code is 1.
`;

const args = process.argv.slice(2);
if (args.includes('--help')) {
  console.log(USAGE);
  process.exit(0);
}
await setUp();
const { code } = await run(process.execPath, [
  '--conditions=@escapement/source',
  '--import',
  'tsx',
  'scripts/mutants/main.ts',
  ...args,
]);
process.exit(code);
