import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { bin, root, run } from './process.mjs';

/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */
/** @typedef {'unit' | 'int' | 'long' | 'waits' | 'upgrade'} Project */
/**
 * What came of some tests: `failures` says of each failed one where and why, and `unstable` of each that failed beside others only.
 *
 * @typedef {{ ok: boolean, counts: Counts, failures: string[], unstable: string[] }} Outcome
 */
/** @typedef {{ fullName: string, status: string, failureMessages: string[] }} Test */
/** @typedef {{ name: string, status: string, message: string, assertionResults: Test[] }} TestFile */

/** @type {Counts} */
const noTests = { passed: 0, failed: 0, skipped: 0 };

/** @type {Outcome} */
export const NO_TESTS = { ok: true, counts: noTests, failures: [], unstable: [] };

/** How much of a failure's message is told again at the end. */
const LINES_OF_A_FAILURE = 40;

/** A fault of the change fails in more files than these, or fails again: the repeats would only cost time. */
const MOST_REPEATED = 3;
const REPEATS = 2;

/**
 * Runs one vitest project, or those of its files that are below some folders. If a few files fail, each must pass twice more without
 * the others beside it, or the failure stands (decision 117).
 *
 * @param {Project} project
 * @param {{ folders?: string[], env?: NodeJS.ProcessEnv }} [options]
 * @returns {Promise<Outcome>}
 */
export async function runTests(project, options = {}) {
  const { ok, files } = await runFiles(project, options);
  const failed = files.filter((file) => failuresOf(file).length > 0);
  // Pure tests share no machine with a server: each of their failures stands.
  const mayRepeat = project !== 'unit' && failed.length > 0 && failed.length <= MOST_REPEATED;
  const again = !ok && mayRepeat ? await repeatAlone(project, options, failed) : undefined;
  if (again === undefined) return outcomeOf(project, { ok, files });
  const steady = files.filter((file) => !failed.includes(file));
  const outcome = outcomeOf(project, { ok: true, files: [...steady, ...again] });
  return { ...outcome, unstable: failed.flatMap(failuresOf) };
}

/**
 * What the failed files gave when they ran without the others, or undefined if one failed again.
 *
 * @param {Project} project
 * @param {{ folders?: string[], env?: NodeJS.ProcessEnv }} options
 * @param {TestFile[]} failed
 */
async function repeatAlone(project, options, failed) {
  const folders = failed.map(({ name }) => path.relative(root, name));
  /** @type {TestFile[]} */
  let last = [];
  for (let repeat = 1; repeat <= REPEATS; repeat++) {
    console.log(`repeat ${repeat} of ${REPEATS}: ${folders.join(', ')}`);
    const { ok, files } = await runFiles(project, { ...options, folders });
    if (!ok) return undefined;
    last = files;
  }
  return last;
}

/**
 * The result is read from vitest's own file, not from its output.
 *
 * @param {Project} project
 * @param {{ folders?: string[], env?: NodeJS.ProcessEnv }} options
 * @returns {Promise<{ ok: boolean, files: TestFile[] }>}
 */
async function runFiles(project, { folders = [], env = process.env }) {
  const folder = mkdtempSync(path.join(tmpdir(), 'escapement-tests-'));
  const file = path.join(folder, 'result.json');
  const args = ['run', ...folders, '--project', project, '--passWithNoTests', '--reporter=default', '--reporter=json'];
  const { code } = await run(bin('vitest'), [...args, `--outputFile.json=${file}`], { env });
  const files = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).testResults : [];
  rmSync(folder, { recursive: true });
  return { ok: code === 0, files };
}

/**
 * @param {Project} project
 * @param {{ ok: boolean, files: TestFile[] }} result
 * @returns {Outcome}
 */
function outcomeOf(project, { ok, files }) {
  const outcome = { ok, counts: countsOf(files), failures: files.flatMap(failuresOf), unstable: [] };
  if (ok || outcome.counts.failed > 0) return outcome;
  // vitest fails without a failed test where, say, the servers of the tests cannot be started, or an error has no test.
  const failures = [`project ${project}: vitest failed, and no test failed. Its output above says why.`];
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
 * Says at the end which tests failed and why: the output above is thousands of lines long.
 *
 * @param {Outcome[]} outcomes
 */
export function reportFailures(outcomes) {
  for (const test of outcomes.flatMap(({ unstable }) => unstable)) console.log(`UNSTABLE TEST ${test}\n`);
  for (const test of outcomes.flatMap(({ failures }) => failures)) console.log(`FAILED TEST ${test}\n`);
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

/**
 * @param {Outcome[]} outcomes
 * @returns {Counts}
 */
export function sumOf(outcomes) {
  const sum = (/** @type {keyof Counts} */ kind) => outcomes.reduce((all, { counts }) => all + counts[kind], 0);
  return { passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped') };
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
