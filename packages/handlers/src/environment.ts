import type { Account } from './account.ts';
import { DEFAULT_PATH } from './helper-environment.ts';

type Env = Readonly<Record<string, string | undefined>>;

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
