import path from 'node:path';
import { EscapementError } from '@escapement/core';
import { BUILD_FOLDER } from '@escapement/service/config';
import type { Command } from 'commander';
import manifest from '../../package.json' with { type: 'json' };
import { type Made, makeBuild } from '../build/make.ts';
import type { Context } from '../context.ts';
import { ownConfig } from '../dev/own-config.ts';

interface BuildOptions {
  out: string;
  release?: string;
}

export function addBuild(program: Command, context: Context): void {
  program
    .command('build')
    .description('bundle the tasks of this project for workers that have neither its sources nor a compiler')
    .option('--out <folder>', 'where to; a build that is there is replaced', BUILD_FOLDER)
    .option('--release <name>', 'what this version of the code is called. Default: the commit, or a hash of the build')
    .action((options: BuildOptions) => runBuild(context, options));
}

async function runBuild({ cwd, output, interruptible }: Context, { out, release }: BuildOptions): Promise<void> {
  if (release !== undefined && !/^[^\r\n]{1,100}$/.test(release))
    throw new EscapementError('bad_release', `--release is ${JSON.stringify(release)}`, {
      fix: 'give 1 to 100 characters, without line breaks',
    });
  const folder = path.resolve(cwd, out);
  const signal = interruptible();
  const config = await ownConfig(cwd);
  const made = await makeBuild({ root: cwd, config, out: folder, release, version: manifest.version, signal });
  output.result({ folder, ...made.manifest, bytes: made.bytes }, () => summary(made, path.relative(cwd, folder)));
}

function summary({ manifest: { tasks, release, externals }, bytes }: Made, folder: string): string[] {
  const width = Math.max(...tasks.map(({ name }) => name.length));
  const needs = Object.entries(externals).map(([name, version]) => `${name} ${version}`);
  return [
    `built  ${folder}: ${tasks.length === 1 ? '1 task' : `${tasks.length} tasks`}, ${Math.ceil(bytes / 1000)} kB, release ${release}`,
    ...tasks.map(({ name, source }) => `  ${name.padEnd(width)}  ${source}`),
    `needs  ${needs.join(', ')}`,
    `next: ESCAPEMENT_TASKS=${folder} escapement start worker`,
  ];
}
