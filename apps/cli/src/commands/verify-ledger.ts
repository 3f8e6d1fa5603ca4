import { EscapementError, readInstant } from '@escapement/core';
import type { LabelSelector } from '@escapement/core/rights';
import { isGap } from '@escapement/core/verify-ledger';
import {
  type LedgerFinding,
  requireTask,
  unseenByVerification,
  type VerifyLedgerSummary,
  verifyLedger,
} from '@escapement/operations';
import type { Command } from 'commander';
import { type Context, withDatabase } from '../context.ts';
import { serverOf } from '../fleet.ts';
import { LABEL_HELP, LABEL_OPTION, readSelector } from '../options.ts';
import { EXIT, type ExitCode } from '../output/exit-code.ts';
import { counted, inUtc, systemZone } from '../output/wording.ts';
import type { LedgerAsked, LedgerCompared } from './compared-ledger.ts';
import { verifyAtServer } from './verify-at-server.ts';

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

async function verify({ task, label, ...options }: VerifyArguments, context: Context): Promise<ExitCode> {
  const { output } = context;
  const shared = { now: context.clock.now(), spans: 'ago', timeZone: systemZone() } as const;
  const from = readInstant(options.from, { what: '--from', ...shared });
  const to = readInstant(options.to, { what: '--to', ...shared });
  const asked = { from, to, task, label };
  // At a server a scheduler does it, as nobody waits for an answer that long. Here it needs none.
  const compared = serverOf(context) ? await verifyAtServer(asked, context) : await verifyHere(asked, context);
  const { named, unseen, ...summary } = compared;
  const findings = named.map(({ kind, task: of, scheduledFor, runId, detail }) => ({
    kind,
    task: of,
    scheduledFor,
    runId,
    detail,
  }));
  if (from >= summary.to)
    throw new EscapementError('bad_range', `nothing can be verified from ${inUtc(from)} to ${inUtc(summary.to)}`, {
      fix: '--from must lie at least ten seconds back, and before --to',
    });
  const { tasks, expected, rows, gaps } = summary;
  const json = { from, to: summary.to, tasks, expected, rows, findings, gaps, ok: gaps === 0 };
  output.table(json, findings, [
    { title: 'FINDING', value: ({ kind }) => kind.replace('_', ' ') },
    { title: 'TASK', value: ({ task }) => task },
    { title: 'OCCURRENCE', value: ({ scheduledFor }) => inUtc(scheduledFor) },
    { title: 'RUN', value: ({ runId }) => runId ?? '-', whole: true },
    { title: 'DETAIL', value: ({ detail }) => detail, wraps: true },
  ]);
  output.note(wordingOf(summary, findings.length, from));
  if (unseen !== undefined) output.note(unseen);
  return summary.gaps === 0 ? EXIT.ok : EXIT.failed;
}

async function verifyHere({ from, to, task, label }: LedgerAsked, context: Context): Promise<LedgerCompared> {
  const gaps: LedgerFinding[] = [];
  const others: LedgerFinding[] = [];
  const summary = await withDatabase(context, async (db) => {
    if (task !== undefined) await requireTask(db, task);
    const unseen = await unseenByVerification(db, { from, to });
    const compared = await verifyLedger(db, {
      // Up to and including: the instant itself is to be compared too.
      from: new Date(from.getTime() - 1),
      ...{ to, task, labels: label },
      onFinding(finding) {
        const found = isGap(finding) ? gaps : others;
        if (found.length < SHOWN) found.push(finding);
      },
    });
    return { ...compared, unseen };
  });
  return { ...summary, named: [...gaps, ...others].slice(0, SHOWN) };
}

function wordingOf(summary: Omit<VerifyLedgerSummary, 'from'>, shown: number, from: Date): string {
  const { to, tasks, expected, rows, findings, gaps } = summary;
  const compared = `${counted(tasks, 'task')}, ${counted(expected, 'occurrence')} due, ${counted(rows, 'row')}, from ${inUtc(from)} to ${inUtc(to)}`;
  const others = findings > shown ? `; ${counted(findings - shown, 'more finding')} not shown` : '';
  if (findings === 0) return `no gap: ${compared}`;
  return `${counted(gaps, 'gap')}, ${findings - gaps} late or still to come: ${compared}${others}`;
}
