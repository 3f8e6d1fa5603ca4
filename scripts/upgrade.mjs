// `npm run upgrade`: a fleet of an older version goes over to this one while it works. Run with --help for its options.
import { parseArgs } from 'node:util';
import { buildVersion, commitOf, versionBefore } from './older-version.mjs';
import { bin, run } from './process.mjs';
import { setUp } from './setup.mjs';
import { buildTests } from './vitest.mjs';

const USAGE = `npm run upgrade [-- VERSION]

Builds VERSION (a tag or a commit; default: the newest tag v*, or the baseline where there is none) in a folder of its own, starts a
fleet of it, and brings that to what is here as docs/how-to/run-a-fleet.md says: migrations first, then one process after the other,
while tasks are due each second. Exit code 1: an occurrence was lost, started twice, or failed; 2: there is no such version.
`;

/** @returns {{ version: string | undefined, help: boolean }} */
function asked() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { help: { type: 'boolean', default: false } },
    });
    if (positionals.length > 1) throw new Error('one version at a time');
    return { version: positionals[0], help: values.help };
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${USAGE}`);
    return process.exit(2);
  }
}

const { version, help } = asked();
if (help) {
  console.log(USAGE);
  process.exit(0);
}
await setUp();
const named = version ?? (await versionBefore());
const commit = await commitOf(named);
if (commit === undefined) {
  console.error(`there is no version ${named} in this clone`);
  process.exit(2);
}
console.log(`building ${commit.slice(0, 10)}, which takes some minutes`);
const { folder, error } = await buildVersion(commit);
if (error !== undefined) {
  console.error(error);
  process.exit(1);
}
await buildTests();
const words = ['run', '--project', 'upgrade', '--reporter=default'];
const { code } = await run(bin('vitest'), words, { env: { ...process.env, UPGRADE_FROM: folder } });
process.exit(code);
