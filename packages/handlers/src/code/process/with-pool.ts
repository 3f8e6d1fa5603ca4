import { systemClock } from '@escapement/core';
import { type Accounts, idsOf } from '../../account.ts';
import { baseEnvironment } from '../../environment.ts';
import { type DescribedTasks, describeTasks } from './describe-tasks.ts';
import { ProcessPool } from './pool.ts';

/** For who wants to know what modules of a project say, and runs nothing. */
export interface LookOptions {
  /** As whom, and with what of the environment, they are loaded: as tasks are. They are code of the project. */
  accounts: Accounts;
  env: Readonly<Record<string, string | undefined>>;
  /** Options of Node for the process that loads them. Default: this process' own. */
  execArgv?: readonly string[];
}

/** Gives `use` processes of their own to load modules in, and ends these. */
export async function withPool<Result>(
  { accounts, env, execArgv = process.execArgv }: LookOptions,
  use: (pool: ProcessPool) => Promise<Result>,
): Promise<Result> {
  const pool = new ProcessPool({
    execArgv,
    env: baseEnvironment({ account: accounts.tasks, shell: '/bin/sh', env }),
    ...idsOf(accounts.tasks, accounts.own),
    clock: systemClock,
  });
  try {
    return await use(pool);
  } finally {
    await pool.stop();
  }
}

/** The tasks that these modules define, each path as a worker loads it. Never rejects. */
export async function describeModules(paths: readonly string[], options: LookOptions): Promise<DescribedTasks[]> {
  return await withPool(options, async (pool) => {
    const described: DescribedTasks[] = [];
    for (const path of paths) described.push(await describeTasks(path, pool));
    return described;
  });
}
