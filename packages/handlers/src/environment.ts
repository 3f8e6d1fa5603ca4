import type { Account } from './account.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Where programs are looked for if the worker itself has no PATH. */
const DEFAULT_PATH = '/usr/local/bin:/usr/bin:/bin';

/** Of the small programs that the worker itself calls. */
export const HELPER_ENV = { PATH: DEFAULT_PATH };

export interface EnvironmentParts {
  account: Account;
  shell: string;
  /** What all tasks get from the worker. */
  env: Env;
  /** The task's own, secrets in place. */
  taskEnv?: Readonly<Record<string, string>>;
}

/** What a process of a task gets: a base like cron's, what the worker opens to all tasks, then the task's own. */
export function baseEnvironment({ account, shell, env, taskEnv }: EnvironmentParts): Record<string, string> {
  return {
    PATH: DEFAULT_PATH,
    LANG: 'C.UTF-8',
    ...withValue(env),
    HOME: account.home,
    LOGNAME: account.name,
    USER: account.name,
    SHELL: shell,
    ...taskEnv,
  };
}

function withValue(env: Env): Record<string, string> {
  const chosen: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) if (value) chosen[name] = value;
  return chosen;
}
