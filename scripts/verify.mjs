// What takes minutes each: fleets under faults and kills, guards taken away, plans over a million rows; beside them an upgrade, and
// what mostly waits, then some commands over HTTP, and what the oldest Postgres that we support could do otherwise. `npm test` runs the rest.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { buildVersion, commitOf, versionBefore } from './older-version.mjs';
import { setUp } from './setup.mjs';
import { buildTests, NO_TESTS, reportFailures, runTests, sumOf } from './vitest.mjs';

/** Where Debian has the programs of the oldest Postgres that we support (OLDEST_POSTGRES of the command line's doctor). */
const OLDEST_POSTGRES = '/usr/lib/postgresql/15/bin';

/**
 * The newest Postgres runs all tests. The oldest one runs those that could differ there: migrations and rights, every statement of the store
 * (`scope` proves that), plans, and whole passes of schedulers and workers.
 */
const ON_OLDEST_POSTGRES = [
  'packages/store/test/drop-partitions.test.ts',
  'packages/store/test/list-runs.test.ts',
  'packages/store/test/migrate.test.ts',
  'packages/store/test/migrate-drift.test.ts',
  'packages/store/test/migrate-functions.test.ts',
  'packages/store/test/migrate-roles.test.ts',
  'packages/store/test/plans-of-an-empty-week.test.ts',
  'packages/store/test/plans-of-batches.test.ts',
  'packages/store/test/plans-of-lists.test.ts',
  'packages/store/test/roles.test.ts',
  'packages/store/test/scope.test.ts',
  'packages/store/test/week-statements.test.ts',
  'packages/scheduler/test/alert-conditions.test.ts',
  'packages/scheduler/test/backfill.test.ts',
  'packages/scheduler/test/reconcile.test.ts',
  'packages/worker/test/batch-faults.test.ts',
  'packages/worker/test/followers.test.ts',
  'packages/worker/test/overlap-scenarios.test.ts',
  'packages/worker/test/run-on.test.ts',
  'packages/operations/test/bulk.test.ts',
  'packages/operations/test/verify-ledger.test.ts',
  'test/hostile-rows.test.ts',
  'test/killed-after-each-step.test.ts',
];

/** Commands that ask the API: they read, write, act on many, follow a list, and are refused. `long` has its routes and all commands. */
const OVER_HTTP = [
  'apps/cli/test/access.test.ts',
  'apps/cli/test/apply.test.ts',
  'apps/cli/test/bulk.test.ts',
  'apps/cli/test/runs.test.ts',
  'apps/cli/test/tasks.test.ts',
];

await setUp();
// Both would build at once.
await buildTests();
const runs = (await Promise.all([runTests('long'), runBesideLong(), runUpgrade()])).flat();
const sum = sumOf(runs);
reportFailures(runs);
console.log(`${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped`);
process.exit(runs.every(({ ok }) => ok) ? 0 : 1);

/** The first of these mostly waits, and the second then fills what time the fleets of `long` leave the processors. */
async function runBesideLong() {
  return [await runTests('waits'), await runElsewhere()];
}

/**
 * The tests of commands that ask the API, each command against a server of it; and the statements on the oldest Postgres. In one run:
 * its servers are started once, and no processor is idle while a last file ends.
 */
async function runElsewhere() {
  const env = { ...process.env, CLI_TESTS_OVER: 'http' };
  if (!existsSync(path.join(OLDEST_POSTGRES, 'initdb'))) {
    console.log(
      `left out: the oldest Postgres that we support; there is none in ${OLDEST_POSTGRES} (Debian: postgresql-15)`,
    );
    console.log('commands over HTTP');
    return await runTests('int', { folders: OVER_HTTP, env });
  }
  console.log(`commands over HTTP, and statements, migrations and fleets, on the Postgres in ${OLDEST_POSTGRES}`);
  return await runTests('int', {
    folders: [...OVER_HTTP, ...ON_OLDEST_POSTGRES],
    env: { ...env, POSTGRES_BIN: OLDEST_POSTGRES },
  });
}

/** A fleet of the version before goes over to this one while it works. */
async function runUpgrade() {
  const version = await versionBefore();
  const commit = await commitOf(version);
  if (commit === undefined) {
    console.log(`left out: the upgrade from ${version}; this clone has no history`);
    return NO_TESTS;
  }
  const { folder, error } = await buildVersion(commit);
  if (error !== undefined)
    return { ...NO_TESTS, ok: false, counts: { passed: 0, failed: 1, skipped: 0 }, failures: [error] };
  return await runTests('upgrade', { env: { ...process.env, UPGRADE_FROM: folder } });
}
