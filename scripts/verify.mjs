// What takes minutes each: fleets under faults and kills, guards taken away, plans over a million rows; and the oldest Postgres that we
// support. `npm test` runs the rest.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { setUp } from './setup.mjs';
import { noTests, runTests, tellFailures } from './vitest.mjs';

/** Where Debian has the programs of the oldest Postgres that we support (OLDEST_POSTGRES of the command line's doctor). */
const OLDEST_POSTGRES = '/usr/lib/postgresql/15/bin';
/** What speaks to Postgres. */
const SPEAK_TO_POSTGRES = ['packages/store', 'packages/operations', 'packages/scheduler', 'packages/worker'];

/** Tests of the command line in which commands ask the API. */
const OVER_HTTP =
  'access add-task alerts apply attempts audit backfill batches bulk calendars cancel doctor-queue doctor-queue-away edit errors explain export-crontab export-ical forecast freeze heartbeats history import-crontab keys keys-away lists next pools rate recovery rename resolve retry run-tree runs task-list task-state tasks tzdata usage waiting what-if workers'
    .split(' ')
    .map((name) => `apps/cli/test/${name}.test.ts`);

await setUp();
const runs = [await runTests('long'), await runOnOldestPostgres(), await runOverHttp()];
const sum = (/** @type {'passed' | 'failed' | 'skipped'} */ kind) =>
  runs.reduce((all, { counts }) => all + counts[kind], 0);
tellFailures(runs.flatMap(({ failures }) => failures));
console.log(`${sum('passed')} passed, ${sum('failed')} failed, ${sum('skipped')} skipped`);
process.exit(runs.every(({ ok }) => ok) && sum('failed') === 0 ? 0 : 1);

/** The tests of commands that ask the API, each command against a server of it. */
async function runOverHttp() {
  console.log('the command line over HTTP');
  return await runTests('int', { folders: OVER_HTTP, env: { ...process.env, CLI_TESTS_OVER: 'http' } });
}

async function runOnOldestPostgres() {
  if (!existsSync(path.join(OLDEST_POSTGRES, 'initdb'))) {
    console.log(
      `left out: the oldest Postgres that we support; there is none in ${OLDEST_POSTGRES} (Debian: postgresql-15)`,
    );
    return { ok: true, counts: noTests, failures: [] };
  }
  console.log(`the same statements on the Postgres in ${OLDEST_POSTGRES}`);
  return await runTests('int', { folders: SPEAK_TO_POSTGRES, env: { ...process.env, POSTGRES_BIN: OLDEST_POSTGRES } });
}
