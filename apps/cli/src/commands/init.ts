import path from 'node:path';
import { EMBEDDED_POSTGRES } from '@escapement/servers';
import { type Command, Option } from 'commander';
import manifest from '../../package.json' with { type: 'json' };
import { ESBUILD } from '../build/bundle.ts';
import type { Context } from '../context.ts';
import { NO_ARCHIVES, NO_ARCHIVES_FIX } from '../dev/own-config.ts';
import type { Change } from '../init/change.ts';
import { changesOf } from '../init/changes.ts';
import { MANAGERS, type Manager, usesPlugAndPlay } from '../init/manager.ts';
import { type Language, type Project, readProject } from '../init/project.ts';
import { chooseFolder, chooseLanguage, chooseManager } from '../init/questions.ts';
import { COMPOSE_FILE, missingPasswords } from '../init/servers.ts';
import { writeAll } from '../init/write.ts';

const VERSIONS = {
  escapement: manifest.version,
  'embedded-postgres': EMBEDDED_POSTGRES,
  esbuild: ESBUILD,
  vitest: '4.1.12',
};

interface InitOptions {
  package?: string;
  language?: Language;
  packageManager?: Manager;
  yes?: true;
}

export function addInit(program: Command, context: Context): void {
  program
    .command('init')
    .description('make this folder a project with tasks, or add what it lacks; replaces nothing')
    .option('--package <folder>', 'in the root of a monorepo: the package that shall have the tasks')
    .addOption(
      new Option('--language <language>', 'where the folder does not say').choices(['typescript', 'javascript']),
    )
    .addOption(new Option('--package-manager <name>', 'where the folder does not say').choices(MANAGERS))
    .option('-y, --yes', 'ask nothing; without a terminal nothing is asked either')
    .action((options: InitOptions) => runInit(context, options));
}

async function runInit({ cwd, env, output, ask: terminal }: Context, options: InitOptions): Promise<void> {
  const ask = options.yes ? undefined : terminal;
  const root = await chooseFolder(cwd, options.package, ask);
  const project = readProject(root);
  const language = await chooseLanguage(project, options.language, ask);
  const manager = await chooseManager(project, { named: options.packageManager, env }, ask);
  const changes = changesOf({ ...project, language }, VERSIONS);
  writeAll(root, changes);
  const lacking = missingPasswords(project);
  if (lacking.length > 0)
    output.note(`.env is yours and stays as it is; for ${COMPOSE_FILE} add to it: ${lacking.join(', ')}`);
  if (manager === 'yarn' && usesPlugAndPlay(project.places)) output.note(`${NO_ARCHIVES}: ${NO_ARCHIVES_FIX}`);
  const files = changes.map(({ file }) => file);
  output.result({ folder: root, files, manager, typescript: language === 'typescript' }, () =>
    summary({ project, changes, manager, cwd }),
  );
}

interface Started {
  project: Project;
  changes: readonly Change[];
  manager: Manager;
  cwd: string;
}

function summary({ project: { root, monorepo }, changes, manager, cwd }: Started): string[] {
  const folder = path.relative(cwd, root);
  const go = folder === '' ? [] : [`the package: ${folder}`];
  const next = `next: ${nextSteps(manager, folder, monorepo)}`;
  if (changes.length === 0) return [...go, 'nothing to do: this folder has all of it', next];
  return [...go, ...changes.map(({ file, what, isNew }) => `${isNew ? 'written' : 'changed'}  ${file}: ${what}`), next];
}

function nextSteps(manager: Manager, folder: string, monorepo: string | undefined): string {
  const run = manager === 'npm' ? 'npx' : manager === 'bun' ? 'bunx' : `${manager} exec`;
  const install = `${manager} install${monorepo !== undefined && folder === '' ? ` in the root of the monorepo, ${monorepo}` : ''}`;
  return `${install}, then ${run} escapement dev${folder === '' ? '' : ` in ${folder}`}`;
}
