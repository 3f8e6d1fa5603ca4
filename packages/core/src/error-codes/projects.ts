import type { ErrorFacts } from './error-facts.ts';

/** Projects: init, dev and build. */
export const PROJECTS_ERRORS = {
  bad_build: {
    when: '`escapement.build.json` is not one of this version',
    fix: 'run `escapement build` again with the version that the worker has',
    status: 400,
    exit: 2,
  },
  bad_package_json: {
    when: 'a `package.json` cannot be read',
    fix: 'correct it; nothing was written',
    status: 400,
    exit: 2,
  },
  bad_project_config: {
    when: '`escapement.config.ts` does not export a configuration',
    fix: "write ``export default defineConfig({ tasks: ['tasks'] })``",
    status: 400,
    exit: 2,
  },
  bad_workspaces: {
    when: 'the list of packages of a monorepo cannot be read',
    fix: 'correct it, or run the command in the folder of a package',
    status: 400,
    exit: 2,
  },
  build_failed: {
    when: 'the tasks cannot be bundled',
    fix: 'correct the sources that are named; the earlier build is unchanged',
    status: null,
    exit: 2,
  },
  duplicate_task: {
    when: 'two files define a task of the same name',
    fix: 'give one of them another name',
    status: null,
    exit: 2,
  },
  monorepo_root: {
    when: '`escapement init` was run at the root of a monorepo',
    fix: 'name a package with `--package`',
    status: null,
    exit: 2,
  },
  no_bundler: {
    when: '`esbuild` is not installed',
    fix: 'run `npm install --save-dev esbuild`',
    status: null,
    exit: 2,
  },
  no_choice: {
    when: 'a question was not answered',
    fix: 'give the command again; nothing was written',
    status: null,
    exit: 2,
  },
  no_package_manager: {
    when: 'the package manager of the project is not on the `PATH`',
    fix: 'install it, or name another one with `--package-manager`',
    status: null,
    exit: 2,
  },
  no_such_package: {
    when: 'the folder has no `package.json`',
    fix: 'name the folder of a package with `--package`',
    status: null,
    exit: 2,
  },
  no_tasks: {
    when: 'no file in the folders of tasks defines a task',
    fix: 'write one, or name other folders in `escapement.config.ts`',
    status: null,
    exit: 2,
  },
  no_tasks_folder: {
    when: 'a folder of tasks does not exist',
    fix: 'make it, or name another one',
    status: null,
    exit: 2,
  },
  not_a_task: {
    when: 'a file in a folder of tasks does not export a task',
    fix: 'write `export default defineTask({ ... })`; put other files into a sub-folder',
    status: null,
    exit: 2,
  },
  other_folders: {
    when: 'the configuration names other folders than at the start of the fleet',
    fix: 'end the fleet with Ctrl-C, and start it again',
    status: null,
    exit: 2,
  },
  out_not_empty: {
    when: 'the folder for the build has other files in it',
    fix: 'name another one with `--out`, or empty it',
    status: null,
    exit: 2,
  },
  plug_and_play: {
    when: "the project uses Yarn's Plug'n'Play, which Escapement cannot load tasks from",
    fix: 'set `nodeLinker: node-modules` in `.yarnrc.yml`',
    status: null,
    exit: 2,
  },
  task_unanswered: {
    when: 'the process that loads a file of tasks did not answer in time',
    fix: 'see whether its top level ends, and whether the machine is too busy; a worker loads it again, with more time',
    status: null,
    exit: 2,
  },
  task_import: {
    when: 'a file of tasks cannot be imported',
    fix: 'correct the error that is named; its top level must end',
    status: null,
    exit: 2,
  },
  tasks_not_found: {
    when: 'a folder or file of tasks is not there',
    fix: 'correct `ESCAPEMENT_TASKS`',
    status: null,
    exit: 2,
  },
} as const satisfies Record<string, ErrorFacts>;
