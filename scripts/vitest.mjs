import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { bin, run } from './process.mjs';

/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */

/** @type {Counts} */
export const noTests = { passed: 0, failed: 0, skipped: 0 };

/**
 * Runs one vitest project, or those of its files that are below some folders, and counts from its own result file, not from what it
 * prints.
 *
 * @param {'unit' | 'int' | 'long'} project
 * @param {{ folders?: string[], env?: NodeJS.ProcessEnv }} [options]
 * @returns {Promise<{ ok: boolean, counts: Counts }>}
 */
export async function runTests(project, { folders = [], env = process.env } = {}) {
  const folder = mkdtempSync(path.join(tmpdir(), 'escapement-tests-'));
  const file = path.join(folder, 'result.json');
  const args = ['run', ...folders, '--project', project, '--passWithNoTests', '--reporter=default', '--reporter=json'];
  const { code } = await run(bin('vitest'), [...args, `--outputFile.json=${file}`], { env });
  const counts = existsSync(file) ? countsOf(JSON.parse(readFileSync(file, 'utf8'))) : noTests;
  rmSync(folder, { recursive: true });
  // vitest fails without a failed test where, say, the servers of the tests cannot be started.
  if (code !== 0 && counts.failed === 0) return { ok: false, counts: { ...counts, failed: 1 } };
  return { ok: code === 0, counts };
}

/** @param {{ testResults: { status: string, assertionResults: { status: string }[] }[] }} result */
function countsOf({ testResults }) {
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
