// npm run release -- cut VERSION | tag | pack --repository URL [--publish] | open VERSION. docs/how-to/release.md says when which.
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { build } from '../pack/build.ts';
import { pack } from '../pack/pack.ts';
import { readManifest } from '../pack/workspaces.ts';
import { root, run } from '../process.mjs';
import { newestSection, notesOf, openedIn, releasedIn } from './changelog.ts';
import { writeSbom } from './sbom.ts';
import { bakeWith, imagesWith, isVersion, lockWith, manifestWith } from './versions.ts';

const CHANGELOG = path.join(root, 'CHANGELOG.md');
/** Later documents of the API are compared with the one of the last release, which only a release writes. */
const REFERENCE = path.join(root, 'docs', 'reference');
const current = () => readManifest(root).version;

async function git(...args: string[]): Promise<string> {
  const { code, output } = await run('git', args, { capture: true });
  if (code !== 0) throw new Error(`git ${args.join(' ')} failed:\n${output}`);
  return output.trim();
}

async function requireClean(): Promise<void> {
  const changed = await git('status', '--porcelain');
  if (changed !== '') throw new Error(`there is something that is not committed:\n${changed}`);
}

function requireVersion(version: string | undefined): string {
  if (version !== undefined && isVersion(version)) return version;
  throw new Error(`${JSON.stringify(version)} is no version: give three numbers, as in 0.2.0 or 0.2.0-rc.1`);
}

/** Every workspace, from the root: also those that are not published have the version. */
function workspaces(): string[] {
  const all = ['packages', 'apps'].flatMap((kind) =>
    readdirSync(path.join(root, kind), { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() ? [`${kind}/${entry.name}`] : [],
    ),
  );
  return [...all, 'bench', 'test/openapi-client'];
}

function setVersion(version: string): void {
  const folders = workspaces();
  const lockstep = { version, ours: new Set(folders.map((folder) => readManifest(path.join(root, folder)).name)) };
  for (const folder of ['', ...folders])
    rewrite(path.join(root, folder, 'package.json'), (text) => manifestWith(text, lockstep));
  rewrite(path.join(root, 'package-lock.json'), (text) => lockWith(text, folders, lockstep));
  rewrite(path.join(root, 'docker-bake.json'), (text) => bakeWith(text, lockstep));
  for (const file of manifestsForKubernetes()) rewrite(file, (text) => imagesWith(text, lockstep));
}

function manifestsForKubernetes(): string[] {
  const folder = path.join(root, 'deploy', 'kubernetes');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.yaml'));
  return files.map((file) => path.join(folder, file));
}

function rewrite(file: string, change: (text: string) => string): void {
  writeFileSync(file, change(readFileSync(file, 'utf8')));
}

/** The version and its date, in all files; nothing is committed yet. */
async function cut(given: string | undefined): Promise<void> {
  const version = requireVersion(given);
  await requireClean();
  if ((await git('tag', '--list', `v${version}`)) !== '') throw new Error(`there is a tag v${version} already`);
  const changelog = releasedIn(readFileSync(CHANGELOG, 'utf8'), version, new Date().toISOString().slice(0, 10));
  setVersion(version);
  writeFileSync(CHANGELOG, changelog);
  copyFileSync(path.join(REFERENCE, 'openapi.json'), path.join(REFERENCE, 'openapi-released.json'));
  console.log(`${version} is in all packages and in CHANGELOG.md; next: npm test, then npm run release -- tag`);
}

async function tag(): Promise<void> {
  const version = current();
  const notes = notesOf(readFileSync(CHANGELOG, 'utf8'), version);
  if (newestSection(readFileSync(CHANGELOG, 'utf8')).when === 'unreleased')
    throw new Error(`${version} is unreleased in CHANGELOG.md: npm run release -- cut ${version}`);
  await git('commit', '--all', '--quiet', '--message', `Release ${version}`);
  await git('tag', '--annotate', '--cleanup=whitespace', `v${version}`, '--message', `${version}\n\n${notes}`);
  console.log(`v${version} is tagged; next: npm run release -- pack --repository URL`);
}

interface PackOptions {
  repository: string | undefined;
  out: string | undefined;
  publish: boolean;
}

/** Tarballs, SBOM and check sums of what is tagged. npm says what it would publish, or publishes. */
async function packRelease({ repository, out, publish }: PackOptions): Promise<void> {
  const version = current();
  if (repository === undefined) throw new Error('--repository is missing: npm asks where the source of a package is');
  if (publish) {
    await requireClean();
    const tags = (await git('tag', '--points-at', 'HEAD')).split('\n');
    if (!tags.includes(`v${version}`)) throw new Error(`this commit is not tagged v${version}: nothing is published`);
  }
  const folder = path.resolve(out ?? path.join(root, 'dist', 'release', version));
  mkdirSync(folder, { recursive: true });
  await build();
  const packed = await pack({ out: folder, repository });
  writeFileSync(path.join(folder, 'sbom.cdx.json'), await writeSbom());
  const sums = [...packed.map(({ file }) => path.basename(file)), 'sbom.cdx.json'].map((file) => {
    const digest = createHash('sha256')
      .update(readFileSync(path.join(folder, file)))
      .digest('hex');
    return `${digest}  ${file}\n`;
  });
  writeFileSync(path.join(folder, 'SHA256SUMS'), sums.join(''));
  for (const { file } of packed) await publishOne(file, publish);
  console.log(`${folder} has the tarballs, sbom.cdx.json and SHA256SUMS`);
}

/** One that was published by an earlier try is not published again. */
async function publishOne(file: string, publish: boolean): Promise<void> {
  const how = publish ? '--provenance' : '--dry-run';
  const { code, output } = await run('npm', ['publish', file, '--access=public', how], { capture: true });
  const wasThere = /previously published|EPUBLISHCONFLICT/.test(output);
  if (code !== 0 && !wasThere) throw new Error(`npm publish ${path.basename(file)} failed:\n${output}`);
  const what = wasThere ? 'published already:' : publish ? 'published' : 'would publish';
  console.log(`${what} ${path.basename(file)}`);
}

async function open(given: string | undefined): Promise<void> {
  const version = requireVersion(given);
  await requireClean();
  const changelog = openedIn(readFileSync(CHANGELOG, 'utf8'), version);
  setVersion(version);
  writeFileSync(CHANGELOG, changelog);
  console.log(`${version} is what comes next; commit it`);
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    repository: { type: 'string' },
    out: { type: 'string' },
    publish: { type: 'boolean', default: false },
  },
});
const [step, version] = positionals;

try {
  if (step === 'cut') await cut(version);
  else if (step === 'tag') await tag();
  else if (step === 'pack')
    await packRelease({ repository: values.repository, out: values.out, publish: values.publish });
  else if (step === 'open') await open(version);
  else
    throw new Error(
      'give cut VERSION, tag, pack --repository URL or open VERSION; docs/how-to/release.md says when which',
    );
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
