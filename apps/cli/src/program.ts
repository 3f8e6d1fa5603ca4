import { EscapementError, isServerProblem } from '@escapement/core';
import { Command, CommanderError, Option } from 'commander';
import manifest from '../package.json' with { type: 'json' };
import { readingOf } from './access/reading.ts';
import { addTokens, addUsers } from './commands/access.ts';
import { addTaskAdd } from './commands/add-task.ts';
import { addApply } from './commands/apply.ts';
import { addAudit } from './commands/audit.ts';
import { addBackfill } from './commands/backfill.ts';
import { addCalendars } from './commands/calendars.ts';
import { addCancel } from './commands/cancel.ts';
import { addConfig } from './commands/config.ts';
import { addDoctor } from './commands/doctor.ts';
import { addTaskEdits } from './commands/edit.ts';
import { addExplain } from './commands/explain.ts';
import { addExport } from './commands/export-crontab.ts';
import { addFreeze } from './commands/freeze.ts';
import { addTaskHistory } from './commands/history.ts';
import { addImport } from './commands/import-crontab.ts';
import { addKeys } from './commands/keys.ts';
import { addLists } from './commands/lists.ts';
import { addLogs } from './commands/logs.ts';
import { addMigrate } from './commands/migrate.ts';
import { addNext } from './commands/next.ts';
import { addPools } from './commands/pools.ts';
import { addRecovery } from './commands/recovery.ts';
import { addRedrive } from './commands/redrive.ts';
import { addReleaseKey } from './commands/release-key.ts';
import { addRequests } from './commands/requests.ts';
import { addResolve } from './commands/resolve.ts';
import { addRetry } from './commands/retry.ts';
import { addRunTree } from './commands/run-tree.ts';
import { addRuns } from './commands/runs.ts';
import { addSchema } from './commands/schema.ts';
import { addShowRun } from './commands/show-run.ts';
import { addTaskSkip } from './commands/skip.ts';
import { addTaskStats } from './commands/stats.ts';
import { addTaskChanges } from './commands/task-changes.ts';
import { addTaskList } from './commands/task-list.ts';
import { addTaskState } from './commands/task-state.ts';
import { addTasks } from './commands/tasks.ts';
import { addTop } from './commands/top.ts';
import { addTrigger } from './commands/trigger.ts';
import { addVerifyLedger } from './commands/verify-ledger.ts';
import { addWatchRuns } from './commands/watch-runs.ts';
import { addWorkers } from './commands/workers.ts';
import type { Context } from './context.ts';
import { EXIT, type ExitCode } from './output/exit-code.ts';
import { type Format, toJson } from './output/print.ts';

const EPILOGUE = `
Exit codes: 0 done; 1 the run failed, or doctor or verify-ledger found something; 2 wrong usage or input; 3 Postgres or Redis cannot be
reached, or migrations are missing; 4 the run was not carried out. Details: docs/reference/cli.md`;

/** Runs one command line. Resolves with the exit code; never rejects. */
export async function runCommand(args: readonly string[], context: Context): Promise<ExitCode> {
  let code: ExitCode = EXIT.ok;
  const program = createProgram(context, (ended) => {
    code = ended;
  });
  try {
    await program.parseAsync([...args], { from: 'user' });
    return code;
  } catch (error) {
    return explain(error, context);
  }
}

/** All commands, as `runCommand` knows them. */
export function createProgram(context: Context, end: (code: ExitCode) => void): Command {
  const program = new Command('escapement')
    .description('The cron replacement for fleets: every occurrence accounted for.')
    .version(manifest.version, '-V, --version')
    .addOption(
      new Option('-o, --output <format>', 'how results are written').choices(['table', 'json']).default('table'),
    )
    .configureOutput({
      writeOut: context.output.text,
      writeErr: (text) => context.output.note(text.trimEnd()),
      // Errors are worded in one place: below.
      outputError: () => {},
      getOutHelpWidth: () => context.output.width ?? 100,
      getErrHelpWidth: () => context.output.width ?? 100,
    })
    .exitOverride()
    .addHelpText('after', EPILOGUE)
    .hook('preAction', (_, action) => {
      context.output.format = action.optsWithGlobals<{ output: Format }>().output;
      context.reading = readingOf(pathOf(action), { arguments: action.args, options: action.opts() });
    });
  addImport(program, context, end);
  addExport(program, context);
  const tasks = addTasks(program, context);
  addTaskList(tasks, context);
  addTrigger(tasks, context, end);
  addTaskChanges(tasks, context);
  addTaskState(tasks, context);
  addTaskSkip(tasks, context);
  addTaskAdd(tasks, context);
  addTaskEdits(tasks, context);
  addTaskStats(tasks, context);
  addTaskHistory(tasks, context);
  const runs = addRuns(program, context);
  addShowRun(runs, context);
  addRunTree(runs, context);
  addLogs(runs, context);
  addWatchRuns(runs, context, end);
  addCancel(runs, context, end);
  addRetry(runs, context);
  addRedrive(runs, context);
  addResolve(runs, context);
  addReleaseKey(addKeys(program, context, end), context);
  addPools(program, context);
  addWorkers(program, context);
  addFreeze(program, context);
  addRecovery(program, context);
  addRequests(program, context);
  addAudit(program, context);
  addUsers(program, context);
  addTokens(program, context);
  addCalendars(program, context);
  addLists(program, context);
  addNext(program, context);
  addExplain(program, context);
  addApply(program, context, end);
  addBackfill(program, context);
  addSchema(program, context);
  addMigrate(program, context);
  addConfig(program, context);
  addTop(program, context);
  addDoctor(program, context, end);
  addVerifyLedger(program, context, end);
  return program;
}

/** The words of a command without the program's own: `tasks state show`. */
export function pathOf(command: Command): string {
  const { parent } = command;
  if (!parent) return '';
  return [pathOf(parent), command.name()].filter(Boolean).join(' ');
}

/** Says what went wrong: what, value, fix; a stack only for a mistake of our own. */
function explain(error: unknown, { output }: Context): ExitCode {
  if (error instanceof CommanderError) return explainUsage(error, output.note);
  if (!(error instanceof EscapementError)) {
    output.note(
      `a mistake in escapement itself: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    );
    return EXIT.internal;
  }
  const { code, message, fix } = error;
  if (output.format === 'json') output.note(toJson({ error: { code, message, fix } }));
  else output.note(`error: ${message}${fix ? `\n  ${fix}` : ''}`);
  return exitOf(error);
}

function exitOf(error: EscapementError): ExitCode {
  if (error.code === 'interrupted') return EXIT.interrupted;
  return isServerProblem(error) ? EXIT.unreachable : EXIT.usage;
}

function explainUsage(error: CommanderError, note: (text: string) => void): ExitCode {
  if (error.exitCode === 0) return EXIT.ok;
  // Without a subcommand the help has been written already.
  if (error.code !== 'commander.help')
    note(`${error.message}\n  see \`escapement --help\`, or --help behind any command`);
  return EXIT.usage;
}
