import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { bin, root, run } from './process.mjs';

/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */
/** @typedef {{ ok: boolean, counts: Counts, failures: string[] }} Outcome of some tests; `failures` says of each failed one where and why. */
/** @typedef {{ fullName: string, status: string, failureMessages: string[] }} Test */
/** @typedef {{ name: string, status: string, message: string, assertionResults: Test[] }} TestFile */

/** @type {Counts} */
export const noTests = { passed: 0, failed: 0, skipped: 0 };

/** How much of a failure's message is told again at the end. */
const LINES_OF_A_FAILURE = 40;

/**
 * Runs one vitest project, or those of its files that are below some folders, and counts from its own result file, not from what it
 * prints.
 *
 * @param {'unit' | 'int' | 'long' | 'waits' | 'upgrade'} project
 * @param {{ folders?: string[], env?: NodeJS.ProcessEnv }} [options]
 * @returns {Promise<Outcome>}
 */
export async function runTests(project, { folders = [], env = process.env } = {}) {
  const folder = mkdtempSync(path.join(tmpdir(), 'escapement-tests-'));
  const file = path.join(folder, 'result.json');
  const args = ['run', ...folders, '--project', project, '--passWithNoTests', '--reporter=default', '--reporter=json'];
  const { code } = await run(bin('vitest'), [...args, `--outputFile.json=${file}`], { env });
  /** @type {TestFile[]} */
  const files = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).testResults : [];
  rmSync(folder, { recursive: true });
  const outcome = { ok: code === 0, counts: countsOf(files), failures: files.flatMap(failuresOf) };
  if (code === 0 || outcome.counts.failed > 0) return outcome;
  // vitest fails without a failed test where, say, the servers of the tests cannot be started, or an error has no test.
  const failures = [
    `project ${project}: vitest ended with code ${code}, and no test failed. Its output above says why.`,
  ];
  return { ...outcome, counts: { ...outcome.counts, failed: 1 }, failures };
}

/** Builds what tests start as processes: Vitest itself finds its global set-up among that. Ends the process with 1 where it cannot be built. */
export async function buildTests() {
  const { code, output } = await run(bin('tsc'), ['-b'], { capture: true });
  if (code === 0) return;
  console.error(output);
  process.exit(1);
}

/**
 * Says again at the end which tests failed and why: what stands above is thousands of lines long.
 *
 * @param {string[]} failures
 */
export function tellFailures(failures) {
  for (const failure of failures) console.log(`FAILED TEST ${failure}\n`);
}

/**
 * @param {TestFile} file
 * @returns {string[]}
 */
function failuresOf({ name, status, message, assertionResults }) {
  const failed = assertionResults.filter((test) => test.status === 'failed');
  const told = failed.map(({ fullName, failureMessages }) => [fullName, failureMessages.join('\n')]);
  // A file that cannot be loaded, or that fails behind its tests, has a message of its own.
  if (failed.length === 0 && status === 'failed') told.push(['(the file)', message]);
  return told.map(([test = '', why = '']) => {
    const lines = why.split('\n').filter((line) => line.trim() !== '' && !/node_modules|at new Promise/.test(line));
    return [`${path.relative(root, name)} > ${test}`, ...lines.slice(0, LINES_OF_A_FAILURE)].join('\n  ');
  });
}

/** @param {TestFile[]} testResults */
function countsOf(testResults) {
  const counts = { ...noTests };
  for (const { status, assertionResults } of testResults) {
    const failed = assertionResults.filter((test) => test.status === 'failed').length;
    const passed = assertionResults.filter((test) => test.status === 'passed').length;
    counts.passed += passed;
    counts.skipped += assertionResults.length - passed - failed;
    // A file that cannot be loaded has no tests, and is a failure all the same.
    counts.failed += failed === 0 && status === 'failed' ? 1 : failed;
  }
  return counts;
}
