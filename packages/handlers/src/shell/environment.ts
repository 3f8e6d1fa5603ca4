import type { Json, RunInfo } from '@escapement/core';
import type { Account } from './account.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Where programs are looked for if the worker itself has no PATH. */
const DEFAULT_PATH = '/usr/local/bin:/usr/bin:/bin';

/** Taken from the worker if it has them: what a machine's cron would have from the system. */
const SYSTEM_NAMES = ['PATH', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR'];

export interface EnvironmentParts {
  account: Account;
  shell: string;
  workerEnv: Env;
  /** Further names that are taken from the worker. */
  passEnv: readonly string[];
  /** The task's own, secrets in place. */
  taskEnv: Readonly<Record<string, string>>;
}

/**
 * What a process gets: a base like cron's, then the task's own. Nothing else of the worker's
 * environment, which holds DATABASE_URL and other tasks' secrets.
 */
export function shellEnvironment(parts: EnvironmentParts): Record<string, string> {
  const { account, shell, workerEnv, passEnv, taskEnv } = parts;
  return {
    PATH: DEFAULT_PATH,
    LANG: 'C.UTF-8',
    ...pick(workerEnv, [...SYSTEM_NAMES, ...passEnv]),
    HOME: account.home,
    LOGNAME: account.name,
    USER: account.name,
    SHELL: shell,
    ...taskEnv,
  };
}

/** What a process may know of its run. The same in each attempt, but for ATTEMPT, FENCE and LATENESS_MS. */
export function runEnvironment(run: RunInfo, payload: Json | undefined): Record<string, string> {
  return {
    ESCAPEMENT_RUN_ID: run.id,
    ESCAPEMENT_TASK: run.taskName,
    ESCAPEMENT_ATTEMPT: String(run.attempt),
    ESCAPEMENT_SCHEDULED_FOR: run.scheduledFor.toISOString(),
    ESCAPEMENT_LATENESS_MS: String(run.latenessMs),
    ESCAPEMENT_ORIGIN: run.origin,
    ...(run.requestedBy === null ? {} : { ESCAPEMENT_REQUESTED_BY: run.requestedBy }),
    ...(run.causeRunId === null ? {} : { ESCAPEMENT_CAUSE_RUN_ID: run.causeRunId }),
    ESCAPEMENT_FENCE: String(run.fence),
    ESCAPEMENT_KEY: run.key,
    ...(payload === undefined ? {} : { ESCAPEMENT_PAYLOAD: JSON.stringify(payload) }),
  };
}

function pick(env: Env, names: readonly string[]): Record<string, string> {
  const picked: Record<string, string> = {};
  for (const name of names) {
    const value = env[name];
    if (value !== undefined && value !== '') picked[name] = value;
  }
  return picked;
}
