// An older version of all this, built in a folder of its own: what `npm run upgrade` and `npm run verify` start from.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { root, run } from './process.mjs';

/** The commit from which a fleet must go over to this version, until there is a release; decision 101. */
const BASELINE = path.join(root, 'test', 'upgrade', 'baseline');

/**
 * The commit of a version; undefined: this clone does not have it.
 *
 * @param {string} version a tag or a commit
 */
export async function commitOf(version) {
  const found = await run('git', ['rev-parse', '--verify', '--quiet', `${version}^{commit}`], { capture: true });
  return found.code === 0 ? found.output.trim() : undefined;
}

/** What a fleet upgrades from: the newest release, else the baseline. */
export async function versionBefore() {
  const tag = await run('git', ['describe', '--tags', '--abbrev=0', '--match', 'v*'], { capture: true });
  return tag.code === 0 ? tag.output.trim() : readFileSync(BASELINE, 'utf8').trim();
}

/**
 * Builds a commit in a folder that is deleted when the process ends. Returns the folder, or what went wrong.
 *
 * @param {string} commit
 * @returns {Promise<{ folder: string, error?: undefined } | { folder?: undefined, error: string }>}
 */
export async function buildVersion(commit) {
  const folder = mkdtempSync(path.join(tmpdir(), 'escapement-upgrade-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const steps = [
    `git archive ${commit} | tar -x -C "${folder}"`,
    `${await installing(commit, folder)} || (cd "${folder}" && npm ci --prefer-offline --no-audit --no-fund)`,
    `cd "${folder}" && npm run build`,
  ];
  for (const step of steps) {
    const { code, output } = await run('sh', ['-c', step], { capture: true });
    if (code !== 0) return { error: `${output}\n${commit} could not be built` };
  }
  return { folder };
}

/**
 * What gives a folder the packages of a commit: ours, by hard links, where it has the same ones.
 *
 * @param {string} commit
 * @param {string} folder
 */
async function installing(commit, folder) {
  const { code } = await run('git', ['diff', '--quiet', commit, '--', 'package-lock.json']);
  if (code !== 0) return 'false';
  return `find . -maxdepth 3 -name node_modules -type d -prune -exec cp -al --parents -t "${folder}" {} +`;
}
