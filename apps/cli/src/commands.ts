import type { Command } from 'commander';
import type { Context } from './context.ts';
import type { ExitCode } from './output/exit-code.ts';

type Add = (parent: Command, context: Context, end: (code: ExitCode) => void) => unknown;

/** Commands that one module adds. It is loaded only where one of them is asked for: most of a short command is loading. */
export interface Piece {
  names: readonly string[];
  load: () => Promise<Add>;
}

/** A command of which each subcommand is loaded for itself. */
export interface Group {
  name: string;
  description: string;
  pieces: readonly Piece[];
}

const TASKS: readonly Piece[] = [
  { names: ['show'], load: async () => (await import('./commands/tasks.ts')).addTaskShow },
  { names: ['list'], load: async () => (await import('./commands/task-list.ts')).addTaskList },
  { names: ['trigger'], load: async () => (await import('./commands/trigger.ts')).addTrigger },
  {
    names: ['pause', 'resume', 'delete'],
    load: async () => (await import('./commands/task-changes.ts')).addTaskChanges,
  },
  { names: ['state'], load: async () => (await import('./commands/task-state.ts')).addTaskState },
  { names: ['skip'], load: async () => (await import('./commands/skip.ts')).addTaskSkip },
  { names: ['add'], load: async () => (await import('./commands/add-task.ts')).addTaskAdd },
  { names: ['edit', 'revert'], load: async () => (await import('./commands/edit.ts')).addTaskEdits },
  { names: ['rename'], load: async () => (await import('./commands/rename.ts')).addTaskRename },
  { names: ['stats'], load: async () => (await import('./commands/stats.ts')).addTaskStats },
  { names: ['history'], load: async () => (await import('./commands/history.ts')).addTaskHistory },
];

const RUNS: readonly Piece[] = [
  { names: ['list'], load: async () => (await import('./commands/runs.ts')).addRunList },
  { names: ['show'], load: async () => (await import('./commands/show-run.ts')).addShowRun },
  { names: ['tree'], load: async () => (await import('./commands/run-tree.ts')).addRunTree },
  { names: ['logs'], load: async () => (await import('./commands/logs.ts')).addLogs },
  { names: ['watch'], load: async () => (await import('./commands/watch-runs.ts')).addWatchRuns },
  { names: ['cancel'], load: async () => (await import('./commands/cancel.ts')).addCancel },
  { names: ['rerun'], load: async () => (await import('./commands/rerun.ts')).addRerun },
  { names: ['redrive'], load: async () => (await import('./commands/redrive.ts')).addRedrive },
  { names: ['resolve'], load: async () => (await import('./commands/resolve.ts')).addResolve },
];

const KEYS: readonly Piece[] = [
  { names: ['list', 'show', 'history'], load: async () => (await import('./commands/keys.ts')).addKeys },
  { names: ['release'], load: async () => (await import('./commands/release-key.ts')).addReleaseKey },
];

const ALERTS: readonly Piece[] = [
  { names: ['list', 'show', 'ack'], load: async () => (await import('./commands/alerts.ts')).addAlerts },
  {
    names: ['silence', 'silences', 'unsilence'],
    load: async () => (await import('./commands/alert-silences.ts')).addSilences,
  },
  {
    names: ['rules', 'get', 'set', 'explain'],
    load: async () => (await import('./commands/alert-rules.ts')).addAlertRules,
  },
  {
    names: ['deliveries', 'inbox', 'test'],
    load: async () => (await import('./commands/alert-deliveries.ts')).addDeliveries,
  },
];

const IMPORTS: readonly Piece[] = [
  { names: ['crontab'], load: async () => (await import('./commands/import-crontab.ts')).addImportCrontab },
  { names: ['host'], load: async () => (await import('./commands/import-host.ts')).addImportHost },
  { names: ['anacron'], load: async () => (await import('./commands/import-anacron.ts')).addImportAnacron },
  { names: ['run-parts'], load: async () => (await import('./commands/import-run-parts.ts')).addImportRunParts },
  { names: ['systemd'], load: async () => (await import('./commands/import-systemd.ts')).addImportSystemd },
  { names: ['k8s'], load: async () => (await import('./commands/import-k8s.ts')).addImportK8s },
  { names: ['bullmq'], load: async () => (await import('./commands/import-bullmq.ts')).addImportBullmq },
];

const EXPORTS: readonly Piece[] = [
  { names: ['ical'], load: async () => (await import('./commands/export-ical.ts')).addExportICalendar },
  { names: ['crontab'], load: async () => (await import('./commands/export-crontab.ts')).addExportCrontab },
  { names: ['systemd'], load: async () => (await import('./commands/export-systemd.ts')).addExportSystemd },
  { names: ['k8s'], load: async () => (await import('./commands/export-k8s.ts')).addExportK8s },
];

/** In the order in which --help shows them. */
export const COMMANDS: readonly (Piece | Group)[] = [
  { name: 'import', description: 'create tasks from another format', pieces: IMPORTS },
  { name: 'export', description: 'write tasks in another format', pieces: EXPORTS },
  { names: ['shadow'], load: async () => (await import('./commands/shadow.ts')).addShadow },
  { names: ['report'], load: async () => (await import('./commands/report.ts')).addReport },
  { name: 'tasks', description: 'look at tasks, run, pause and delete them', pieces: TASKS },
  { name: 'runs', description: 'look into the ledger; cancel, rerun and resolve runs', pieces: RUNS },
  {
    name: 'keys',
    description: 'show who holds and who waits for each mutual-exclusion key; release a stuck one',
    pieces: KEYS,
  },
  {
    name: 'alerts',
    description: 'what is wrong now, who is told, and by which rules',
    pieces: ALERTS,
  },
  { names: ['monitors'], load: async () => (await import('./commands/monitors.ts')).addMonitors },
  { names: ['errors'], load: async () => (await import('./commands/errors.ts')).addErrors },
  { names: ['pools'], load: async () => (await import('./commands/pools.ts')).addPools },
  { names: ['workers'], load: async () => (await import('./commands/workers.ts')).addWorkers },
  { names: ['freeze', 'unfreeze'], load: async () => (await import('./commands/freeze.ts')).addFreeze },
  { names: ['recovery'], load: async () => (await import('./commands/recovery.ts')).addRecovery },
  { names: ['requests'], load: async () => (await import('./commands/requests.ts')).addRequests },
  { names: ['audit'], load: async () => (await import('./commands/audit.ts')).addAudit },
  { names: ['users'], load: async () => (await import('./commands/access.ts')).addUsers },
  { names: ['tokens'], load: async () => (await import('./commands/access.ts')).addTokens },
  { names: ['login', 'logout'], load: async () => (await import('./commands/login.ts')).addLogin },
  { names: ['calendars'], load: async () => (await import('./commands/calendars.ts')).addCalendars },
  { names: ['lists'], load: async () => (await import('./commands/lists.ts')).addLists },
  { names: ['next'], load: async () => (await import('./commands/next.ts')).addNext },
  { names: ['explain'], load: async () => (await import('./commands/explain.ts')).addExplain },
  { names: ['forecast'], load: async () => (await import('./commands/forecast.ts')).addForecast },
  { names: ['what-if'], load: async () => (await import('./commands/what-if.ts')).addWhatIf },
  { names: ['slot'], load: async () => (await import('./commands/slot.ts')).addSlot },
  { names: ['tzdata'], load: async () => (await import('./commands/tzdata.ts')).addTzdata },
  { names: ['apply'], load: async () => (await import('./commands/apply.ts')).addApply },
  { names: ['backfill'], load: async () => (await import('./commands/backfill.ts')).addBackfill },
  { names: ['schema'], load: async () => (await import('./commands/schema.ts')).addSchema },
  { names: ['init'], load: async () => (await import('./commands/init.ts')).addInit },
  { names: ['dev'], load: async () => (await import('./commands/dev.ts')).addDev },
  { names: ['build'], load: async () => (await import('./commands/build.ts')).addBuild },
  { names: ['start'], load: async () => (await import('./commands/start.ts')).addStart },
  { names: ['migrate'], load: async () => (await import('./commands/migrate.ts')).addMigrate },
  { names: ['restore-check'], load: async () => (await import('./commands/restore-check.ts')).addRestoreCheck },
  { names: ['config'], load: async () => (await import('./commands/config.ts')).addConfig },
  { names: ['top'], load: async () => (await import('./commands/top.ts')).addTop },
  { names: ['mcp'], load: async () => (await import('./commands/mcp.ts')).addMcp },
  { names: ['doctor'], load: async () => (await import('./commands/doctor.ts')).addDoctor },
  { names: ['verify-ledger'], load: async () => (await import('./commands/verify-ledger.ts')).addVerifyLedger },
];

const VERSION = ['--version', '-V'];

/**
 * Adds the command that `args` ask for; all of them where that is not clear (help, a wrong word), so that whoever asks sees
 * what there is.
 */
export async function addCommands(
  program: Command,
  args: readonly string[],
  context: Context,
  end: (code: ExitCode) => void,
): Promise<void> {
  if (VERSION.includes(args[0] ?? '')) return;
  const [word, subword] = wordsOf(args);
  for (const entry of chosen(COMMANDS, word)) {
    if ('load' in entry) {
      (await entry.load())(program, context, end);
      continue;
    }
    const group = program.command(entry.name).description(entry.description);
    const pieces = entry.name === word ? chosen(entry.pieces, subword) : entry.pieces;
    for (const { load } of pieces) (await load())(group, context, end);
  }
}

function chosen<Entry extends Piece | Group>(entries: readonly Entry[], word: string | undefined): readonly Entry[] {
  const found = entries.filter((entry) => ('names' in entry ? entry.names : [entry.name]).includes(word ?? ''));
  return found.length > 0 ? found : entries;
}

/** The words that are no options of the program, up to those of the command itself. */
function wordsOf(args: readonly string[]): readonly string[] {
  return args.filter((arg, index) => !arg.startsWith('-') && !['-o', '--output'].includes(args[index - 1] ?? ''));
}
