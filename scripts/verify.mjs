// What takes minutes each: fleets under faults and kills, guards taken away, plans over a million rows; beside them what mostly waits, and
// an upgrade. Then the commands over HTTP and the statements on the oldest Postgres that we support, in one run. `npm test` runs the rest.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { buildVersion, commitOf, versionBefore } from './older-version.mjs';
import { setUp } from './setup.mjs';
import { buildTests, noTests, runTests, tellFailures } from './vitest.mjs';

/** Where Debian has the programs of the oldest Postgres that we support (OLDEST_POSTGRES of the command line's doctor). */
const OLDEST_POSTGRES = '/usr/lib/postgresql/15/bin';
/**
 * Every statement is in the store, and its tests carry out all that it exports. Those of the others are there for how statements play
 * together: passes of a scheduler, runs of a worker.
 */
const SPEAK_TO_POSTGRES = [
  'packages/store',
  'packages/operations',
  ...'alert-conditions alert-failures alert-fleet backfill dispatch misfires plan prune reconcile roll-up'
    .split(' ')
    .map((name) => `packages/scheduler/test/${name}.test.ts`),
  ...'batch-faults execute followers key-limit overlap-scenarios redrive spread wait-queue'
    .split(' ')
    .map((name) => `packages/worker/test/${name}.test.ts`),
];

/** Tests of the command line in which commands ask the API. */
const OVER_HTTP =
  'access add-task alerts apply attempts audit backfill batches bulk calendars cancel doctor-queue doctor-queue-away edit errors explain export-crontab export-ical export-others forecast freeze history import-bullmq import-crontab import-host import-k8s import-systemd keys keys-away lists monitors next pools rate recovery rename resolve retry run-tree runs shadow-cutover task-list task-state tasks tzdata usage waiting what-if workers'
    .split(' ')
    .map((name) => `apps/cli/test/${name}.test.ts`);

await setUp();
// Both would build at once.
await buildTests();
const runs = [...(await Promise.all([runTests('long'), runTests('waits'), runUpgrade()])), await runElsewhere()];
const sum = (/** @type {'passed' | 'failed' | 'skipped'} */ kind) =>
  runs.reduce((all, { counts }) => all + counts[kind], 0);
tellFailures(runs.flatMap(({ failures }) => failures));
console.log(`${sum('passed')} passed, ${sum('failed')} failed, ${sum('skipped')} skipped`);
process.exit(runs.every(({ ok }) => ok) && sum('failed') === 0 ? 0 : 1);

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
    console.log('the command line over HTTP');
    return await runTests('int', { folders: OVER_HTTP, env });
  }
  console.log(`the command line over HTTP, and the same statements, on the Postgres in ${OLDEST_POSTGRES}`);
  return await runTests('int', {
    folders: [...OVER_HTTP, ...SPEAK_TO_POSTGRES],
    env: { ...env, POSTGRES_BIN: OLDEST_POSTGRES },
  });
}

/** A fleet of the version before goes over to this one while it works. */
async function runUpgrade() {
  const version = await versionBefore();
  const commit = await commitOf(version);
  if (commit === undefined) {
    console.log(`left out: the upgrade from ${version}; this clone has no history`);
    return { ok: true, counts: noTests, failures: [] };
  }
  const { folder, error } = await buildVersion(commit);
  if (error !== undefined) return { ok: false, counts: { ...noTests, failed: 1 }, failures: [error] };
  return await runTests('upgrade', { env: { ...process.env, UPGRADE_FROM: folder } });
}
