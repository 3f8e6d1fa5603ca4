// What takes minutes each: fleets under faults and kills, guards taken away, plans over a million rows. `npm test` runs the rest.
import { setUp } from './setup.mjs';
import { runTests } from './vitest.mjs';

await setUp();
const { ok, counts } = await runTests('long');
console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
process.exit(ok && counts.failed === 0 ? 0 : 1);
