import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { EMBEDDED_POSTGRES } from '@escapement/servers';
import type { Command } from 'commander';
import manifest from '../../package.json' with { type: 'json' };
import type { Context } from '../context.ts';
import { type Change, changesOf } from '../init/changes.ts';
import { type Project, readProject } from '../init/project.ts';

const VERSIONS = {
  escapement: manifest.version,
  'embedded-postgres': EMBEDDED_POSTGRES,
  vitest: '4.1.12',
};

export function addInit(program: Command, context: Context): void {
  program
    .command('init')
    .description('make this folder a project with tasks, or add what it lacks; replaces nothing, asks nothing')
    .action(() => runInit(context));
}

function runInit({ cwd, output }: Context): void {
  const project = readProject(cwd);
  const changes = changesOf(project, VERSIONS);
  for (const { file, content } of changes) {
    mkdirSync(path.dirname(path.join(cwd, file)), { recursive: true });
    writeFileSync(path.join(cwd, file), content);
  }
  const files = changes.map(({ file }) => file);
  output.result({ files, manager: project.manager, typescript: project.typescript }, () => told(project, changes));
}

function told({ manager, monorepo, manifest: own, ignored }: Project, changes: readonly Change[]): string[] {
  if (changes.length === 0) return ['nothing to do: this folder has all of it', next(manager)];
  const there = new Set([own && 'package.json', ignored && '.gitignore']);
  return [
    ...changes.map(({ file, what }) => `${there.has(file) ? 'changed' : 'written'}  ${file}: ${what}`),
    ...(monorepo === undefined ? [] : [`install in the root of the monorepo, ${monorepo}`]),
    next(manager),
  ];
}

function next(manager: Project['manager']): string {
  const run = manager === 'npm' ? 'npx' : manager === 'bun' ? 'bunx' : `${manager} exec`;
  return `next: ${manager} install, then ${run} escapement dev`;
}
