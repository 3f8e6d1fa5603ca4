// The whole suite: set-up, every check, then the tests that need servers and processes.
import { check } from './check.mjs';
import { setUp } from './setup.mjs';
import { NO_TESTS, reportFailures, runTests, sumOf } from './vitest.mjs';

await setUp();
const checked = await check();
const allChecked = checked.failed.length === 0;
const servers = allChecked ? await runTests('int') : NO_TESTS;
if (!allChecked) console.log('the tests that need servers were not run, because a check failed');

const outcomes = [checked.tests, servers];
const failedSteps = checked.failed.filter((name) => name !== 'pure tests').length;
const sum = sumOf(outcomes);
reportFailures(outcomes);
console.log(`${sum.passed} passed, ${sum.failed + failedSteps} failed, ${sum.skipped} skipped`);
process.exit(allChecked && servers.ok ? 0 : 1);
