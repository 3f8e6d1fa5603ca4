// A million hostile inputs over every reader of text from outside, shared among the targets, then 200,000 requests to the routes of the
// API, then 1,000 histories of tasks whose ledgers are verified, then 3,000 hostile values in rows beside a sound task: `npm run fuzz
// [-- --inputs N] [--requests N] [--histories N] [--rows N] [--seed N]`;
// 0 leaves one out. The same seed makes the same ones. `npm test` and `npm run verify` try fewer.
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
const API = 'packages/api/test/fuzz.long.test.ts';

/** Each option and argument of each command, with a database. It has 13,000 lines. */
const COMMANDS = 'apps/cli/test/hostile.long.test.ts';

/** Edits, pauses, outages and the like, as chance makes them; then each ledger is spoiled. */
const HISTORIES = 'test/random-histories.long.test.ts';

/** Written by SQL into each column; a scheduler makes its passes. */
const ROWS = 'test/many-hostile-rows.long.test.ts';

const { values } = parseArgs({
  options: {
    inputs: { type: 'string', default: '1000000' },
    requests: { type: 'string', default: '200000' },
    histories: { type: 'string', default: '1000' },
    rows: { type: 'string', default: '3000' },
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
const inputs = Math.ceil(Number(values.inputs) / TARGETS);
const [requests, histories, rows] = [Number(values.requests), Number(values.histories), Number(values.rows)];
console.log(
  `fuzz: ${inputs} inputs for each of ${TARGETS} targets, ${requests} requests, ${histories} histories, ${rows} rows, seed ${values.seed}`,
);
const codes = [
  inputs > 0 ? await fuzz('unit', FILES, inputs) : 0,
  requests > 0 ? await fuzz('long', [API, COMMANDS], requests) : 0,
  histories > 0 ? await fuzz('long', [HISTORIES], histories) : 0,
  rows > 0 ? await fuzz('long', [ROWS], rows) : 0,
];
process.exit(Math.max(...codes));
