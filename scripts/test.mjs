// The whole suite: set-up, every check, then the tests that need servers and processes.
import { check } from './check.mjs';
import { setUp } from './setup.mjs';
import { noTests, runTests, tellFailures } from './vitest.mjs';

await setUp();
const checked = await check();
const servers = checked.failed.length === 0 ? await runTests('int') : { ok: false, counts: noTests, failures: [] };
if (checked.failed.length > 0) console.log('the tests that need servers were not run, because a check failed');

const failedSteps = checked.failed.filter((name) => name !== 'pure tests').length;
const passed = checked.tests.passed + servers.counts.passed;
const failed = checked.tests.failed + servers.counts.failed + failedSteps;
const skipped = checked.tests.skipped + servers.counts.skipped;
tellFailures([...checked.failures, ...servers.failures]);
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
process.exit(failed === 0 && servers.ok ? 0 : 1);
