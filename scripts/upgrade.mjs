// `npm run upgrade`: a fleet of an older version goes over to this one while it works. Run with --help for its options.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { bin, run } from './process.mjs';
import { setUp } from './setup.mjs';

const USAGE = `npm run upgrade [-- VERSION]

Builds VERSION (a tag or a commit; default: the newest tag v*) in a folder of its own, starts a fleet of it, and brings that to what is
here as docs/how-to/run-a-fleet.md says: migrations first, then one process after the other, while tasks are due each second. Exit
code 1: an occurrence was lost, started twice, or failed; 2: there is no such version.
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

/** @param {string | undefined} given */
async function commitOf(given) {
  const version =
    given ?? (await run('git', ['describe', '--tags', '--abbrev=0', '--match', 'v*'], { capture: true })).output;
  const named = version.trim();
  const found = await run('git', ['rev-parse', '--verify', '--quiet', `${named}^{commit}`], { capture: true });
  if (found.code === 0) return found.output.trim();
  console.error(given === undefined ? 'there is no tag v* yet: name a commit' : `there is no version ${given}`);
  return process.exit(2);
}

/**
 * Has the version built in a folder.
 *
 * @param {string} commit
 * @param {string} folder
 */
async function build(commit, folder) {
  const steps = [
    `git archive ${commit} | tar -x -C "${folder}"`,
    `cd "${folder}" && npm ci --prefer-offline --no-audit --no-fund`,
    `cd "${folder}" && npm run build`,
  ];
  for (const step of steps) {
    const { code, output } = await run('sh', ['-c', step], { capture: true });
    if (code === 0) continue;
    console.error(`${output}\n${commit} could not be built`);
    return false;
  }
  return true;
}

const { version, help } = asked();
if (help) {
  console.log(USAGE);
  process.exit(0);
}
await setUp();
const commit = await commitOf(version);
const folder = mkdtempSync(path.join(tmpdir(), 'escapement-upgrade-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
console.log(`building ${commit.slice(0, 10)}, which takes some minutes`);
if (!(await build(commit, folder))) process.exit(1);
// Vitest itself finds its global set-up among what is built.
const built = await run(bin('tsc'), ['-b'], { capture: true });
if (built.code !== 0) {
  console.error(built.output);
  process.exit(1);
}
const words = ['run', '--project', 'upgrade', '--reporter=default'];
const { code } = await run(bin('vitest'), words, { env: { ...process.env, UPGRADE_FROM: folder } });
process.exit(code);
