import { existsSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { EscapementError } from '@escapement/core';
import { APPS, type AppName, type Layout } from '@escapement/dev';
import { projectConfigFiles } from '@escapement/handlers';
import { z } from 'zod';
import { COMPOSE_FILE } from '../init/servers.ts';

const program = z.object({ bin: z.record(z.string(), z.string()) });

/** What a project says of itself. */
export interface ProjectFolders {
  /** Folders of tasks, from the root. */
  tasks: readonly string[];
  /** Further ones, whose files tasks import. */
  watch: readonly string[];
}

/**
 * The fleet of a project in which Escapement is installed. Throws `no_tasks_folder`.
 *
 * @param now Reads the folders anew, after the configuration of the project has changed.
 */
export function projectLayout(
  root: string,
  { tasks, watch }: ProjectFolders,
  now: () => Promise<ProjectFolders>,
): Layout {
  const folders = tasks.map((folder) => path.resolve(root, folder));
  const composeFile = path.join(root, COMPOSE_FILE);
  const configs = projectConfigFiles(root);
  const missing = folders.find((folder) => !statSync(folder, { throwIfNoEntry: false })?.isDirectory());
  if (missing !== undefined)
    throw new EscapementError('no_tasks_folder', `there is no folder of tasks ${missing}`, {
      fix: 'make it, with a task in it (docs/tutorial.md), or name another one by --tasks or in escapement.config.ts',
    });
  return {
    command: 'npx escapement dev',
    joinCommand: 'npx escapement dev --join',
    mark: 'escapement',
    root,
    tasks: folders.map((folder) => path.relative(root, folder)),
    start: (app) => [programOf(app)],
    watched: [...folders, ...watch.map((folder) => path.resolve(root, folder))],
    ...(existsSync(composeFile) ? { composeFile } : {}),
    watchedFiles: configs,
    changed: async (files) => {
      if (!files.some((file) => configs.includes(path.resolve(root, file)))) return ['worker'];
      refuseOtherFolders({ tasks, watch }, await now());
      return APPS;
    },
    hints: [],
  };
}

/** Throws `other_folders`: the watchers of this fleet look at those of its start. */
function refuseOtherFolders(before: ProjectFolders, after: ProjectFolders): void {
  const named = ({ tasks, watch }: ProjectFolders) => [...tasks, '', ...watch].join('\n');
  if (named(before) === named(after)) return;
  throw new EscapementError('other_folders', 'the configuration names other folders than when this fleet was started', {
    fix: 'end it with Ctrl-C, and start it again',
  });
}

/** The module that the package of an app says is its program. */
function programOf(app: AppName): string {
  const manifest = createRequire(import.meta.url).resolve(`@escapement/${app}-app/package.json`);
  const { bin } = program.parse(JSON.parse(readFileSync(manifest, 'utf8')));
  return path.resolve(path.dirname(manifest), bin[`escapement-${app}`] ?? '');
}
