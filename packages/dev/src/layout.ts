export const APPS = ['scheduler', 'worker', 'api'] as const;
export type AppName = (typeof APPS)[number];

/** Where a fleet for development finds what it runs: a clone, or a project in which Escapement is installed. */
export interface Layout {
  /** What one types to start it: `npm run dev`. */
  command: string;
  /** The same, to join a fleet. */
  joinCommand: string;
  /** How the command line of that process can be told from others. */
  mark: string;
  /** Where `.escapement/` is: data of the servers, state, token. */
  root: string;
  /** The compose file whose Postgres and Redis are used where a Docker engine answers. Default: none. */
  composeFile?: string;
  /** Folders of tasks, from the root. */
  tasks: readonly string[];
  /** Options for Node, and the module to start. */
  start(app: AppName): readonly string[];
  /** Folders whose files are loaded; all paths are absolute. */
  watched: readonly string[];
  /** Files beside them that are loaded, absolute too; one may be missing, and come later. Default: none. */
  watchedFiles?: readonly string[];
  /** Makes ready what the apps serve. Default: there is nothing to do. */
  prepare?(log: (line: string) => void): Promise<void>;
  /** Files, from the root, have changed: makes ready what was made of them, and says which apps must start again. */
  changed(files: readonly string[], databaseUrl: string): Promise<readonly AppName[]>;
  /** Said once all is ready. */
  hints: readonly string[];
  /** What one types to get another link to the dashboard. Default: starting it again. */
  signIn?: string;
}
