// A million hostile inputs over every reader of text from outside: `npm run fuzz [-- --inputs N] [--seed N]`. The inputs are
// shared among the targets; the same seed makes the same ones. `npm test` tries a few thousand.
import { parseArgs } from 'node:util';
import { bin, run } from './process.mjs';
import { setUp } from './setup.mjs';

const FILES = [
  'packages/core/src/fuzz.test.ts',
  'packages/handlers/src/output/messages-fuzz.test.ts',
  'apps/cli/src/fuzz.test.ts',
];
/** In those files. */
const TARGETS = 16;

const { values } = parseArgs({
  options: { inputs: { type: 'string', default: '1000000' }, seed: { type: 'string', default: '1' } },
});
await setUp();
const inputs = String(Math.ceil(Number(values.inputs) / TARGETS));
console.log(`fuzz: ${inputs} inputs for each of ${TARGETS} targets, seed ${values.seed}`);
const env = { ...process.env, FUZZ_INPUTS: inputs, FUZZ_SEED: values.seed };
const { code } = await run(bin('vitest'), ['run', '--project', 'unit', '--reporter=verbose', ...FILES], { env });
process.exit(code);
