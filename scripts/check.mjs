// Every check that needs no server, in one command: format, lint (with the boundaries between packages), types, pure tests.
import { pathToFileURL } from 'node:url';
import { bin, run } from './process.mjs';
import { setUp } from './setup.mjs';
import { NO_TESTS, reportFailures, runTests } from './vitest.mjs';

const STEPS = [
  { name: 'format', fix: 'npm run format', commands: [['biome', 'format']] },
  { name: 'lint and boundaries', commands: [['biome', 'check', '--formatter-enabled=false', '--error-on-warnings']] },
  {
    name: 'types',
    commands: [
      ['tsc', '-b'],
      ['tsc', '-p', 'tsconfig.tests.json'],
      ['tsc', '-p', 'apps/dashboard'],
      ['tsc', '-p', 'apps/site'],
    ],
  },
];

/**
 * Runs all steps, also after one that failed, and says at the end which ones did.
 *
 * @returns {Promise<{ failed: string[], tests: import('./vitest.mjs').Outcome }>}
 */
export async function check() {
  const failed = [];
  for (const step of STEPS) {
    if (!(await timed(step.name, () => runStep(step)))) failed.push(step.name);
  }
  let tests = NO_TESTS;
  const passed = await timed('pure tests', async () => {
    tests = await runTests('unit');
    return tests.ok;
  });
  if (!passed) failed.push('pure tests');
  console.log(failed.length === 0 ? 'check: all passed' : `check: FAILED: ${failed.join(', ')}`);
  return { failed, tests };
}

/** @param {{ commands: string[][], fix?: string }} step */
async function runStep({ commands, fix }) {
  for (const [command = '', ...args] of commands) {
    const { code, output } = await run(bin(command), args, { capture: true });
    if (code === 0) continue;
    console.log(output);
    if (fix) console.log(`  to mend it: ${fix}`);
    return false;
  }
  return true;
}

/**
 * @param {string} name
 * @param {() => Promise<boolean>} step
 */
async function timed(name, step) {
  const started = performance.now();
  const ok = await step();
  console.log(`${ok ? 'ok    ' : 'FAILED'} ${name} (${((performance.now() - started) / 1000).toFixed(1)} s)`);
  return ok;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await setUp();
  const { failed, tests } = await check();
  reportFailures([tests]);
  process.exit(failed.length === 0 ? 0 : 1);
}
