// A million hostile inputs over every reader of text from outside, shared among the targets, then 200,000 requests to the routes of the
// API: `npm run fuzz [-- --inputs N] [--requests N] [--seed N]`; 0 leaves one out. The same seed makes the same ones. `npm test`
// tries a few thousand.
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

/** Made from the schemas of all routes, and asked of an API with a database. */
const API = 'packages/api/test/fuzz.test.ts';

const { values } = parseArgs({
  options: {
    inputs: { type: 'string', default: '1000000' },
    requests: { type: 'string', default: '200000' },
    seed: { type: 'string', default: '1' },
  },
});

/**
 * @param {'unit' | 'long'} project
 * @param {string[]} files
 * @param {number} inputs for each target
 */
async function fuzz(project, files, inputs) {
  const env = { ...process.env, FUZZ_INPUTS: String(inputs), FUZZ_SEED: values.seed };
  const { code } = await run(bin('vitest'), ['run', '--project', project, '--reporter=verbose', ...files], { env });
  return code;
}

await setUp();
const [inputs, requests] = [Math.ceil(Number(values.inputs) / TARGETS), Number(values.requests)];
console.log(`fuzz: ${inputs} inputs for each of ${TARGETS} targets, ${requests} requests, seed ${values.seed}`);
const codes = [
  inputs > 0 ? await fuzz('unit', FILES, inputs) : 0,
  requests > 0 ? await fuzz('long', [API], requests) : 0,
];
process.exit(Math.max(...codes));
