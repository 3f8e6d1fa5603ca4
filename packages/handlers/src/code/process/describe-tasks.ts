import { DEFAULT_MEMORY_LIMIT_MB, EscapementError, formatSpan, reportedCode, type TaskInput } from '@escapement/core';
import { IMPORT_LIMIT_MS, unanswered } from '../load-task-module.ts';
import { taskFiles } from '../task-files.ts';
import type { HandlerProcess } from './handler-process.ts';
import type { ProcessPool } from './pool.ts';
import type { Described } from './protocol.ts';

/** A process that has not said what a module defines is killed so long after the module should have been given up. */
const BEYOND_LIMIT_MS = 5000;

/** A task that a module defines, as it is to be saved. */
export interface DescribedTask {
  definition: TaskInput;
  /** The module that defines it. */
  file: string;
}

export interface LoadOptions {
  /** How long a module may take. Milliseconds; default 30 s. */
  limitMs?: number | undefined;
}

export interface DescribedTasks {
  tasks: DescribedTask[];
  /** One for each file that gave no task; the others count all the same. */
  problems: EscapementError[];
}

/**
 * Has a process of handlers load the modules at a path, and say which tasks they define: the code of tasks never gets
 * into this process. Never rejects.
 */
export async function describeTasks(
  path: string,
  pool: ProcessPool,
  { limitMs }: LoadOptions = {},
): Promise<DescribedTasks> {
  const found: DescribedTasks = { tasks: [], problems: [] };
  const origin = new Map<string, string>();
  try {
    for (const file of await taskFiles(path)) {
      const said = await describeInProcess({ file, limitMs }, pool);
      const first = said instanceof EscapementError ? undefined : origin.get(said.name);
      if (said instanceof EscapementError) found.problems.push(said);
      else if (first !== undefined) found.problems.push(duplicate(said.name, file, first));
      else {
        origin.set(said.name, file);
        found.tasks.push({ definition: said, file });
      }
    }
  } catch (error) {
    if (!(error instanceof EscapementError)) throw error;
    found.problems.push(error);
  }
  return found;
}

/** The process is used for the next file, and later for runs: it has the modules already. */
async function describeInProcess(
  { file, limitMs }: Pick<Module, 'file' | 'limitMs'>,
  pool: ProcessPool,
): Promise<TaskInput | EscapementError> {
  const described = await loadInProcess({ file, what: 'task', limitMs }, pool);
  if (described instanceof EscapementError) return described;
  return described.definition ?? new EscapementError('not_a_task', `${file} defines no task`);
}

/** A module to be loaded. */
interface Module extends LoadOptions {
  file: string;
  what: 'task' | 'config';
}

/** What a process says of a module that it has loaded, or why it could not. */
export async function loadInProcess(
  { file, what, limitMs = IMPORT_LIMIT_MS }: Module,
  pool: ProcessPool,
): Promise<Described | EscapementError> {
  const process = await pool.take({ file, memoryLimitMb: DEFAULT_MEMORY_LIMIT_MB, onlyDescribes: true });
  if (!process) return new EscapementError('task_import', `${file} was not loaded: its worker ends`);
  await process.ready;
  const started = !process.hasEnded;
  let isLate = false;
  const kill = () => {
    isLate = true;
    process.kill();
  };
  // Its start has a limit of its own, and is over.
  const timer = setTimeout(kill, limitMs + BEYOND_LIMIT_MS);
  const described = await process.describe({ file, what, limitMs });
  clearTimeout(timer);
  // Node keeps for ever that a module could not be imported.
  const spoilt = described === undefined || described.problem !== undefined;
  if (spoilt) process.kill();
  pool.giveBack(process, !spoilt);
  if (isLate) return unanswered(`${file} did not answer within ${formatSpan(limitMs + BEYOND_LIMIT_MS)}`);
  if (!described) return started ? await endedOver(file, process) : await notStarted(file, process);
  if (!described.problem) return described;
  const { code, message, fix } = described.problem;
  return new EscapementError(reportedCode(code), message, fix === undefined ? {} : { fix });
}

async function notStarted(file: string, process: HandlerProcess): Promise<EscapementError> {
  const { lastWords } = await process.ended;
  if (process.startedLate) return unanswered(`the process that loads ${file}: ${lastWords}`);
  return new EscapementError(
    'task_import',
    `${file} cannot be imported: no process could be started for it: ${lastWords.trim().slice(-1000)}`,
    { fix: 'the user of tasks (ESCAPEMENT_RUN_AS) must be able to run Node and to read the packages of Escapement' },
  );
}

async function endedOver(file: string, process: HandlerProcess): Promise<EscapementError> {
  const { code, signal, lastWords } = await process.ended;
  const how = signal === null ? `with exit code ${code}` : `by ${signal}`;
  const words = lastWords.trim().slice(-1000);
  return new EscapementError(
    'task_import',
    `${file} cannot be imported: its process ended ${how}${words === '' ? '' : `: ${words}`}`,
    { fix: 'the top level of a module must neither end its process nor run for ever' },
  );
}

function duplicate(name: string, file: string, first: string): EscapementError {
  return new EscapementError('duplicate_task', `task "${name}" of ${file} is defined in ${first} already`, {
    fix: 'give one of them another name',
  });
}
