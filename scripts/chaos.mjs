// `npm run chaos`: a fleet under faults, for as long as one likes. Run with --help for its options.
import { parseArgs } from 'node:util';
import { bin, run } from './process.mjs';
import { setUp } from './setup.mjs';
import { buildTests } from './vitest.mjs';

const USAGE = `npm run chaos [-- OPTIONS]

Starts 3 schedulers and 3 workers on servers of its own, gives them a mixed load, lets one thing after the other go
wrong, and judges what the ledger and the target of the tasks saw. Exit code 1: a promise was broken.

  --minutes M            go on until M minutes have passed (default: each fault once)
  --seed N               chooses order and victims; the same seed repeats them (default: a new one, which is printed)
  --fault NAME           only this one; may be given several times
  --small                faults as small and short as in npm test
  --list                 print the faults and end
  --negative-controls    take each guard away, one at a time, and see the promise break that it keeps
`;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string' },
    seed: { type: 'string' },
    fault: { type: 'string', multiple: true, default: [] },
    small: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    'negative-controls': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

/** @param {string | undefined} text */
function numberOf(text, /** @type {number} */ otherwise) {
  const number = text === undefined ? otherwise : Number(text);
  if (Number.isFinite(number) && number >= 0) return number;
  console.error(`${text} is not a number\n\n${USAGE}`);
  process.exit(2);
}

if (values.help) {
  console.log(USAGE);
  process.exit(0);
}
const options = {
  seed: numberOf(values.seed, Math.floor(Math.random() * 1_000_000)),
  minutes: numberOf(values.minutes, 0),
  faults: values.fault,
  size: values.small ? 'small' : 'full',
  list: values.list,
};
await setUp();
await buildTests();
const project = values['negative-controls'] ? 'test/negative-controls.long.test.ts' : 'test/chaos/long.chaos.ts';
const words = ['run', '--project', values['negative-controls'] ? 'long' : 'chaos', project, '--reporter=default'];
const { code } = await run(bin('vitest'), words, { env: { ...process.env, CHAOS: JSON.stringify(options) } });
process.exit(code);
