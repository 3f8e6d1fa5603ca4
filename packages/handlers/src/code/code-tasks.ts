import {
  type Clock,
  type CodeHandler,
  EscapementError,
  type Handler,
  type HandlerContext,
  handlerFacts,
  SECOND,
} from '@escapement/core';
import type { TaskModule } from '@escapement/sdk';
import { type Accounts, idsOf } from '../account.ts';
import { baseEnvironment } from '../environment.ts';
import { maskOutcome } from '../output/mask-outcome.ts';
import { refusal } from '../refusal.ts';
import { type ResolvedValues, resolveSecrets, type SecretLookup, secretsForRun } from '../secrets.ts';
import type { OnHandlerEvent } from './event.ts';
import { createInlineHandler } from './inline-handler.ts';
import { InlineRuns } from './inline-runs.ts';
import { loadTaskModule } from './load-task-module.ts';
import { type DescribedTask, type DescribedTasks, describeTasks, type LoadOptions } from './process/describe-tasks.ts';
import { createProcessHandler } from './process/handler.ts';
import { createReportOnce } from './process/leftovers/report-once.ts';
import { ProcessPool } from './process/pool.ts';

/** See `HandlersOptions`. */
export interface CodeTasksOptions {
  env: Readonly<Record<string, string | undefined>>;
  accounts: Accounts;
  secrets: SecretLookup;
  secretValues?: readonly string[];
  allowInline?: boolean;
  modules?: readonly TaskModule[];
  killAfterMs: number;
  workerTimeoutMs?: number;
  execArgv?: readonly string[];
  onEvent: OnHandlerEvent;
  clock: Clock;
}

/** Of a run. */
interface OwnSecrets {
  /** What must not show in logs. */
  secrets: readonly string[];
  /** Those that the task declares. */
  given: Readonly<Record<string, string>> | undefined;
}

/** The tasks in code that this worker has: in processes, or inline where it consents. */
export function createCodeTasks(options: CodeTasksOptions) {
  const { accounts, clock, killAfterMs, onEvent, workerTimeoutMs = 8 * SECOND } = options;
  const known = new Map<string, DescribedTask>();
  const modules = new Map((options.modules ?? []).map((task) => [task.name, task]));
  const inline = new InlineRuns(clock, onEvent);
  const onLeft = createReportOnce(onEvent);
  const pool = new ProcessPool({
    execArgv: options.execArgv ?? process.execArgv,
    env: baseEnvironment({ account: accounts.tasks, shell: '/bin/sh', env: options.env }),
    ...idsOf(accounts.tasks, accounts.own),
    clock,
  });

  function lookup(spec: CodeHandler): Handler | undefined {
    const module = spec.isolation === 'inline' ? modules.get(spec.name) : undefined;
    const described = known.get(spec.name);
    const inProcess = { pool, clock, killAfterMs, workerTimeoutMs, onEvent, onLeft };
    if (module) return withSecrets(spec, (own) => createInlineHandler(module, { clock, inline, ...own }));
    return described && withSecrets(spec, (own) => createProcessHandler(described, spec, { ...inProcess, ...own }));
  }

  function withSecrets(spec: CodeHandler, handlerWith: (own: OwnSecrets) => Handler): Handler {
    return async (context) => {
      const resolved = given(spec, context);
      if (resolved instanceof EscapementError) return refusal(resolved);
      const secrets = withValues(options.secretValues ?? [], resolved.secrets);
      const run = handlerWith({ secrets, given: spec.secrets && resolved.values });
      return maskOutcome(await run(context), secrets);
    };
  }

  /** The values of the secrets that a task declares, or why it cannot have them. */
  function given({ secrets = [] }: CodeHandler, context: HandlerContext): ResolvedValues | EscapementError {
    try {
      const references = Object.fromEntries(secrets.map((name) => [name, { secret: name }]));
      return resolveSecrets(references, secretsForRun(options.secrets, context));
    } catch (thrown) {
      return asProblem(thrown);
    }
  }

  /** With the worker's consent the code of a task gets into this process. Undefined: it did, or need not. */
  async function add(task: DescribedTask): Promise<EscapementError | undefined> {
    const { handler, name } = task.definition;
    if (options.allowInline && handlerFacts(handler).code?.isolation === 'inline') {
      const module = await loadTaskModule(task.file).catch(asProblem);
      if (module instanceof EscapementError) return module;
      modules.set(name, module);
    }
    known.set(name, task);
    return undefined;
  }

  return {
    lookup,
    /** See `Handlers`. */
    async load(path: string, load?: LoadOptions): Promise<DescribedTasks> {
      const found = await describeTasks(path, pool, load);
      const loaded: DescribedTasks = { tasks: [], problems: found.problems };
      for (const task of found.tasks) {
        const problem = await add(task);
        if (problem) loaded.problems.push(problem);
        else loaded.tasks.push(task);
      }
      return loaded;
    },
    start(): void {
      inline.start();
      if (known.size > 0) pool.start();
    },
    async stop(): Promise<void> {
      inline.stop();
      await pool.stop();
    },
    claim: (thrown: unknown, kind: 'error' | 'rejection') => inline.claim(thrown, kind),
  };
}

/** The same array where nothing is new: what is masked is found out once for each. */
function withValues(values: readonly string[], others: readonly string[]): readonly string[] {
  const further = others.filter((value) => !values.includes(value));
  return further.length === 0 ? values : [...values, ...further];
}

/** What a user can mend; anything else is a defect and thrown on. */
function asProblem(thrown: unknown): EscapementError {
  if (thrown instanceof EscapementError) return thrown;
  throw thrown;
}
