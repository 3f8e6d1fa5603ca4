import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { EscapementError } from '@escapement/core';
import { appNameOf, describeModules, ownAccount, sameAccount, taskFiles } from '@escapement/handlers';
import type { ProjectConfig } from '@escapement/sdk';
import { BUILD_MANIFEST, type BuildManifest, DEFAULT_TASKS } from '@escapement/service/config';
import { type Bundled, bundle } from './bundle.ts';
import { packageOf, versionOf } from './externals.ts';
import { releaseOf } from './release.ts';

export interface MakeOptions {
  /** Of the project. */
  root: string;
  config: ProjectConfig;
  /** Where the build shall be. */
  out: string;
  /** What the code is called. Default: the commit, or a hash of the build. */
  release: string | undefined;
  /** Of this program. */
  version: string;
  /** Ctrl-C. */
  signal: AbortSignal;
}

export interface Made {
  manifest: BuildManifest;
  bytes: number;
}

/**
 * Bundles the tasks of a project, has each loaded from the bundle as a worker would, and puts all of it where it shall be: only a build that works
 * takes the place of the one before. Throws `build_failed`, `no_bundler`, `no_tasks`, `tasks_not_found` and `out_not_empty`, and
 * `interrupted`.
 */
export async function makeBuild(options: MakeOptions): Promise<Made> {
  const { root, config, out } = options;
  refuseForeign(out);
  const paths = (config.tasks ?? DEFAULT_TASKS).map((each) => path.resolve(root, each));
  const entries = await entriesOf(root, paths);
  // Inside the project, so that modules find its packages while they are tried.
  const draft = path.join(root, '.escapement', `build-${process.pid}`);
  mkdirSync(draft, { recursive: true });
  try {
    const bundled = await bundle({ root, out: draft, entries, external: config.build?.external ?? [] });
    refuseIfStopped(options.signal);
    for (const { path: file, contents } of bundled.files) write(file, contents);
    const manifest: BuildManifest = {
      format: 1,
      escapement: options.version,
      release: options.release ?? (await releaseOf({ root, out }, bundled.files)),
      app: config.app ?? (await appNameOf(paths)),
      ...settingsOf(config),
      tasks: await tried({ root, draft, entries }),
      externals: externalsOf(bundled, root, options.version),
    };
    write(path.join(draft, BUILD_MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`);
    write(path.join(draft, 'package.json'), manifestText(manifest));
    refuseIfStopped(options.signal);
    replace(draft, out);
    return { manifest, bytes: bundled.files.reduce((sum, { contents }) => sum + contents.length, 0) };
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

function refuseIfStopped(signal: AbortSignal): void {
  if (signal.aborted)
    throw new EscapementError('interrupted', 'ended before the build was made; the one before is unchanged');
}

/** What is no build is somebody's own. */
function refuseForeign(out: string): void {
  if (!existsSync(out) || existsSync(path.join(out, BUILD_MANIFEST)) || readdirSync(out).length === 0) return;
  throw new EscapementError('out_not_empty', `${out} has something in it that is no build`, {
    fix: 'name another folder by --out, or empty this one',
  });
}

/** Modules by what they are called in the build: as in the project. */
async function entriesOf(root: string, paths: readonly string[]): Promise<Record<string, string>> {
  const files = (await Promise.all(paths.map(taskFiles))).flat();
  if (files.length === 0)
    throw new EscapementError('no_tasks', `there is no task in ${paths.join(', ')}`, {
      fix: 'write one (docs/tutorial.md), or name other folders in escapement.config.ts',
    });
  const nameOf = (file: string) =>
    path
      .relative(root, file)
      .replaceAll('../', '')
      .replace(/\.m?[jt]s$/, '');
  return Object.fromEntries(files.map((file) => [nameOf(file), file]));
}

function settingsOf({ pools, concurrency, taskEnv }: ProjectConfig) {
  return {
    ...(pools === undefined ? {} : { pools: [...pools] }),
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(taskEnv === undefined ? {} : { taskEnv: [...taskEnv] }),
  };
}

interface Draft {
  root: string;
  draft: string;
  entries: Readonly<Record<string, string>>;
}

/** The tasks of the bundled modules, each loaded in a process as a worker loads it. Throws `build_failed` with all that cannot be. */
async function tried({ root, draft, entries }: Draft): Promise<BuildManifest['tasks']> {
  const modules = Object.entries(entries).map(([name, file]) => ({
    module: `${name}.mjs`,
    source: path.relative(root, file),
  }));
  const described = await describeModules(
    modules.map(({ module }) => path.join(draft, module)),
    { accounts: sameAccount(ownAccount({})), env: {} },
  );
  const tasks: BuildManifest['tasks'] = [];
  const problems: string[] = [];
  for (const [index, { module, source }] of modules.entries()) {
    const found = described[index];
    problems.push(...(found?.problems ?? []).map((each) => sayProblem(each, { draft, module, source })));
    for (const { definition } of found?.tasks ?? []) {
      const other = tasks.find((task) => task.name === definition.name);
      if (other) problems.push(`${source}: task "${definition.name}" is defined in ${other.source} already`);
      tasks.push({ name: definition.name, module, source });
    }
  }
  if (problems.length === 0) return tasks;
  throw new EscapementError(
    'build_failed',
    `the build does not work:\n${problems.map((each) => `  ${each}`).join('\n')}`,
    {
      fix: 'mend this; the build that was there before is unchanged',
    },
  );
}

/** With places in the project instead of those in the draft. */
function sayProblem(
  { message, fix }: EscapementError,
  { draft, module, source }: { draft: string; module: string; source: string },
): string {
  const what = message.replaceAll(path.join(draft, module), source).replaceAll(`${draft}/`, '');
  const besides = /__(dirname|filename) is not defined|Dynamic require of/.test(message)
    ? 'a package that reads files beside it cannot be bundled: name it in build.external of escapement.config.ts'
    : fix;
  return besides === undefined ? what : `${what} (${besides})`;
}

function externalsOf({ metafile }: Bundled, root: string, version: string): Record<string, string> {
  const imported = Object.values(metafile.outputs).flatMap(({ imports }) => imports.filter(({ external }) => external));
  const names = imported.flatMap(({ path: specifier }) =>
    specifier.startsWith('node:') ? [] : (packageOf(specifier) ?? []),
  );
  const others = [...new Set(names)].filter((name) => name !== 'escapement' && !isBuiltin(name)).toSorted();
  return { escapement: version, ...Object.fromEntries(others.map((name) => [name, versionOf(name, root)])) };
}

/** With it, `npm install` makes the folder one that needs nothing else. */
function manifestText({ externals, app }: BuildManifest): string {
  return `${JSON.stringify({ private: true, description: `The build of ${app}`, type: 'module', dependencies: externals }, null, 2)}\n`;
}

function write(file: string, contents: string | Uint8Array): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, contents);
}

/** Across file systems a folder cannot be renamed. */
function replace(draft: string, out: string): void {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(path.dirname(out), { recursive: true });
  try {
    renameSync(draft, out);
  } catch {
    cpSync(draft, out, { recursive: true });
  }
}
