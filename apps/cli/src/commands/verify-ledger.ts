import { EscapementError, type LabelSelector, readInstant } from '@escapement/core';
import type { LedgerFinding, VerifyLedgerSummary } from '@escapement/operations';
import { requireTask, verifyLedger } from '@escapement/operations';
import type { Command } from 'commander';
import { type Context, withDatabase } from '../context.ts';
import { LABEL_HELP, LABEL_OPTION, readSelector } from '../options.ts';
import { EXIT, type ExitCode } from '../output/exit-code.ts';
import { counted, inUtc, systemZone } from '../output/wording.ts';

/** Findings that are kept and shown; the others are counted. */
const SHOWN = 1000;

interface VerifyArguments {
  from: string;
  to: string;
  task?: string;
  label?: LabelSelector;
}

export function addVerifyLedger(program: Command, context: Context, end: (code: ExitCode) => void): void {
  program
    .command('verify-ledger')
    .description('compute what should have happened and compare it with the ledger; exit code 1 on a gap')
    .option('--from <instant>', 'first occurrence: ISO 8601, or a span such as 24h', '24h')
    .option('--to <instant>', 'last occurrence; at most ten seconds ago', 'now')
    .option('--task <name>', 'only this task')
    .option(LABEL_OPTION, LABEL_HELP, readSelector)
    .action(async (options: VerifyArguments) => end(await verify(options, context)));
}

async function verify(options: VerifyArguments, context: Context): Promise<ExitCode> {
  const { output } = context;
  const shared = { now: context.clock.now(), spans: 'ago', timeZone: systemZone() } as const;
  const from = readInstant(options.from, { what: '--from', ...shared });
  const to = readInstant(options.to, { what: '--to', ...shared });
  const findings: LedgerFinding[] = [];
  const summary = await withDatabase(context, async (db) => {
    if (options.task !== undefined) await requireTask(db, options.task);
    return await verifyLedger(db, {
      // Up to and including: the instant itself is to be compared too.
      from: new Date(from.getTime() - 1),
      to,
      task: options.task,
      labels: options.label,
      onFinding: (finding) => void (findings.length < SHOWN && findings.push(finding)),
    });
  });
  if (from >= summary.to)
    throw new EscapementError('bad_range', `nothing can be verified from ${inUtc(from)} to ${inUtc(summary.to)}`, {
      fix: '--from must lie at least ten seconds back, and before --to',
    });
  output.table({ ...summary, from, ok: summary.gaps === 0, findings }, findings, [
    { title: 'FINDING', value: ({ kind }) => kind.replace('_', ' ') },
    { title: 'TASK', value: ({ task }) => task },
    { title: 'OCCURRENCE', value: ({ scheduledFor }) => inUtc(scheduledFor) },
    { title: 'RUN', value: ({ runId }) => runId ?? '-' },
    { title: 'DETAIL', value: ({ detail }) => detail, wraps: true },
  ]);
  output.note(wordingOf(summary, findings.length, from));
  return summary.gaps === 0 ? EXIT.ok : EXIT.failed;
}

function wordingOf(summary: VerifyLedgerSummary, shown: number, from: Date): string {
  const { to, tasks, expected, rows, findings, gaps } = summary;
  const compared = `${counted(tasks, 'task')}, ${counted(expected, 'occurrence')} due, ${counted(rows, 'row')}, from ${inUtc(from)} to ${inUtc(to)}`;
  const others = findings > shown ? `; ${counted(findings - shown, 'more finding')} not shown` : '';
  if (findings === 0) return `no gap: ${compared}`;
  return `${counted(gaps, 'gap')}, ${findings - gaps} late or still to come: ${compared}${others}`;
}
