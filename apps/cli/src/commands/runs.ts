import { EscapementError, isRunId, type RunState } from '@escapement/core';
import { type Database, findRun, listRuns, type PastAttempt, type RunView, readAttempts } from '@escapement/store';
import type { Command } from 'commander';
import { type Context, withDatabase } from '../context.ts';
import { readInstant } from '../instant.ts';
import { readCount, readStates } from '../options.ts';
import { counted, inUtc, span, systemZone } from '../output/wording.ts';
import { requireTask } from './tasks.ts';

interface ListOptions {
  task?: string;
  status?: RunState[];
  since?: string;
  until?: string;
  limit: number;
}

export function addRuns(program: Command, context: Context): Command {
  const runs = program.command('runs').description('look into the ledger, cancel runs');
  runs
    .command('list')
    .description('runs, the latest scheduled first')
    .option('--task <name>', 'only those of one task')
    .option('--status <states>', 'only those in these states, separated by commas; `open`: not ended yet', readStates)
    .option('--since <instant>', 'scheduled then or later: ISO 8601, or a span such as 2h')
    .option('--until <instant>', 'scheduled before then')
    .option('--limit <n>', 'at most so many, 1 to 10000', readCount('--limit', 1, 10_000), 50)
    .action((options: ListOptions) => showRuns(options, context));
  runs
    .command('show')
    .description('everything about a run, with its earlier attempts')
    .argument('<id>', 'id of the run')
    .action((id: string) => showRun(id, context));
  return runs;
}

/** The run of an id. Throws `bad_run_id`, `unknown_run`. */
export async function requireRun(db: Database, id: string): Promise<RunView> {
  const lower = id.toLowerCase();
  if (!isRunId(lower))
    throw new EscapementError('bad_run_id', `"${id}" is not the id of a run`, {
      fix: 'give a whole id as `escapement runs list` shows it',
    });
  const run = await findRun(db, lower);
  if (run) return run;
  throw unknownRun(lower);
}

export function unknownRun(id: string): EscapementError {
  return new EscapementError('unknown_run', `there is no run ${id}`, {
    fix: 'see `escapement runs list`; old runs are deleted after the retention of their task',
  });
}

async function showRuns(options: ListOptions, context: Context): Promise<void> {
  const { output, clock } = context;
  const now = clock.now();
  const instant = (what: string, text: string) =>
    readInstant(text, { what, now, spans: 'ago', timeZone: systemZone() });
  const filter = {
    limit: options.limit,
    ...(options.task === undefined ? {} : { taskName: options.task }),
    ...(options.status === undefined ? {} : { states: options.status }),
    ...(options.since === undefined ? {} : { since: instant('--since', options.since) }),
    ...(options.until === undefined ? {} : { until: instant('--until', options.until) }),
  };
  const runs = await withDatabase(context, async (db) => {
    const found = await listRuns(db, filter);
    if (found.length === 0 && options.task !== undefined) await requireTask(db, options.task);
    return found;
  });
  output.table(runs, runs, [
    { title: 'SCHEDULED FOR', value: ({ scheduledFor }) => inUtc(scheduledFor) },
    { title: 'TASK', value: ({ taskName }) => taskName },
    { title: 'STATUS', value: statusOf },
    { title: 'ORIGIN', value: ({ origin }) => origin },
    { title: 'TRY', value: ({ attempt }) => (attempt === 0 ? '-' : String(attempt)), align: 'right' },
    { title: 'LATE', value: lateness, align: 'right' },
    { title: 'TOOK', value: duration, align: 'right' },
    { title: 'ID', value: ({ id }) => id },
    { title: 'REASON', value: ({ reason }) => reason ?? '', wraps: true },
  ]);
  if (runs.length === 0) output.note('no run matches');
  else if (runs.length === options.limit) output.note(`only the first ${options.limit}; more: --limit, --until`);
}

function statusOf({ state, occurrences }: RunView): string {
  return occurrences > 1 ? `${state} x${occurrences}` : state;
}

function lateness({ startedAt, dueAt, attempt }: RunView): string {
  return startedAt && attempt === 1 ? span(Math.max(0, startedAt.getTime() - dueAt.getTime())) : '-';
}

function duration({ startedAt, finishedAt }: RunView): string {
  return startedAt && finishedAt ? span(finishedAt.getTime() - startedAt.getTime()) : '-';
}

async function showRun(id: string, context: Context): Promise<void> {
  const [run, attempts] = await withDatabase(context, async (db) => {
    const found = await requireRun(db, id);
    return [found, await readAttempts(db, found.id)] as const;
  });
  context.output.result({ ...run, attempts }, () => [...runLines(run), ...attemptLines(attempts)]);
}

function runLines(run: RunView): string[] {
  const facts: [string, string | null | undefined][] = [
    ['run', run.id],
    ['task', `${run.taskName} (version ${run.taskVersion})`],
    ['status', statusOf(run)],
    ['reason', run.reason],
    ['origin', run.requestedBy ? `${run.origin}, asked for by ${run.requestedBy}` : run.origin],
    ['scheduled for', inUtc(run.scheduledFor)],
    ['stretches to', run.untilAt && `${inUtc(run.untilAt)} (${counted(run.occurrences, 'occurrence')})`],
    ['started', run.startedAt && `${inUtc(run.startedAt)}${lateNote(run)}`],
    ['finished', run.finishedAt && inUtc(run.finishedAt)],
    ['took', run.startedAt && run.finishedAt && duration(run)],
    ['cancel asked', cancelNote(run)],
    ['attempt', run.attempt === 0 ? null : String(run.attempt)],
    ['exit code', run.exitCode === null ? null : String(run.exitCode)],
    ['worker', run.worker],
    ['key', `${run.key}${run.fence === null ? '' : ` (fence ${run.fence})`}`],
    ['pool', run.pool],
    ['blocked by', run.blockedBy],
    ['re-run of', run.rerunOf],
    ['payload', run.payload === null ? null : JSON.stringify(run.payload)],
    ['output', run.output === null ? null : JSON.stringify(run.output)],
    ['error', run.error && (run.error.stack ?? `${run.error.name}: ${run.error.message}`)],
  ];
  return facts.flatMap(([title, value]) =>
    value ? [`${`${title}:`.padEnd(14)} ${value.replaceAll('\n', `\n${' '.repeat(15)}`)}`] : [],
  );
}

function cancelNote({ cancelRequestedAt, cancelRequestedBy, cancelReason }: RunView): string | null {
  if (!cancelRequestedAt) return null;
  return `${inUtc(cancelRequestedAt)}${cancelRequestedBy ? ` by ${cancelRequestedBy}` : ''}${cancelReason ? `: ${cancelReason}` : ''}`;
}

function lateNote(run: RunView): string {
  const late = lateness(run);
  return late === '-' ? '' : ` (${late} late)`;
}

function attemptLines(attempts: readonly PastAttempt[]): string[] {
  if (attempts.length === 0) return [];
  return [
    '',
    'earlier attempts:',
    ...attempts.map(
      ({ attempt, outcome, reason, worker, finishedAt }) =>
        `  ${attempt}: ${outcome} at ${inUtc(finishedAt)}${worker ? ` on ${worker}` : ''}${reason ? `: ${reason}` : ''}`,
    ),
  ];
}
