/** What `escapement.config.ts` says of a project. Each field may be left out. */
export interface ProjectConfig {
  /**
   * Where tasks are: folders or modules, from the folder of this file. Default `['tasks']`. Read by `escapement dev`, `escapement build`, and by a
   * worker that starts in this folder. `ESCAPEMENT_TASKS` comes first.
   */
  readonly tasks?: readonly string[];
  /**
   * What the application is called, as in `shop`: a task that its newest code lacks is paused. Default: name of the package and path of the
   * tasks, as in `shop/tasks`. In `escapement dev` it is `dev`. `ESCAPEMENT_APP` comes first.
   */
  readonly app?: string;
  /** The pools whose runs a worker takes. Default `['default']`. `ESCAPEMENT_POOLS` comes first. */
  readonly pools?: readonly string[];
  /** Runs that a worker executes at once in each of its pools, 1 to 10,000. Default 50. `ESCAPEMENT_CONCURRENCY` comes first. */
  readonly concurrency?: number;
  /**
   * Variables of the worker's environment that all its tasks get as they are; a name may end in `*`. Default: none. Never those of Escapement
   * or its servers. `ESCAPEMENT_TASK_ENV` comes first.
   */
  readonly taskEnv?: readonly string[];
  /** Further folders, from the folder of this file: when a file in them changes, `escapement dev` loads the tasks anew. Default `['src']`. */
  readonly watch?: readonly string[];
  /** For `escapement build`. */
  readonly build?: {
    /**
     * Packages that are not put into the build, so that the host must have them: those that read files beside them. A name may end in `*`. Default:
     * none but native ones, which are found by themselves.
     */
    readonly external?: readonly string[];
  };
}

/** The configuration of a project, to be default-exported by `escapement.config.ts`. It gives back what it is given, with its types checked. */
export function defineConfig(config: ProjectConfig): ProjectConfig {
  return config;
}
