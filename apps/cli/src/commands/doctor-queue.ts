import { EscapementError, type QueueBlock, queueBlockFix, queueBlockWords, SECOND } from '@escapement/core';
import { compareQueue, lookAtLedger } from '@escapement/operations';
import { type Database, type DriftFound, readDrift, readPasses, readQueueBlocks } from '@escapement/store';
import { type Acting, type Context, configOf, withDatabase } from '../context.ts';
import { type DriftRow, driftRows } from '../doctor/drift.ts';
import { EXIT, type ExitCode } from '../output/exit-code.ts';
import { counted, fromNow, inUtc } from '../output/wording.ts';
import type { CliConfig } from '../servers.ts';

/** Between the two looks: a reconciler makes a pass each second. */
const BETWEEN_MS = 3 * SECOND;
/** After the lease time a lost run may be repaired this much later. */
const HEALING_MS = 5 * SECOND;
/** A reconciler that has not begun a pass for so long is none. */
const STALE_PASS_MS = 30 * SECOND;

/**
 * `escapement doctor --queue`: compares queue and ledger twice. Changes nothing. Ends with 1 if a difference outlasts a
 * pass of the reconciler, none makes passes, or Redis is away.
 */
export async function examineQueue(context: Context): Promise<ExitCode> {
  const config = configOf(context);
  return await withDatabase(context, async (db, by) => {
    const first = await look(db, config, by);
    await new Promise((resolve) => setTimeout(resolve, BETWEEN_MS));
    const second = await look(db, config, by);
    const drift = driftRows(first.found, second.found, await readDrift(db));
    const passes = await readPasses(db);
    const problems = [
      ...(await readQueueBlocks(db)).map(blockProblem),
      ...problemsOf(drift),
      ...passProblems(passes, context),
      ...awayProblem(second.away),
    ];
    const json = { ok: problems.length === 0, problems, drift, passes: Object.fromEntries(passes) };
    print(context, json);
    return json.ok ? EXIT.ok : EXIT.failed;
  });
}

interface Looked {
  found: DriftFound[];
  /** Why the queue could not be looked at; undefined: it was. */
  away: EscapementError | undefined;
}

async function look(db: Database, config: CliConfig, by: Acting): Promise<Looked> {
  const ledger = await lookAtLedger(db, config.leaseMs + HEALING_MS);
  try {
    return { found: [...ledger, ...(await compareQueue(db, by()))], away: undefined };
  } catch (error) {
    if (!(error instanceof EscapementError)) throw error;
    return { found: ledger, away: error };
  }
}

function problemsOf(drift: readonly DriftRow[]): string[] {
  return drift
    .filter(({ lasting }) => lasting > 0)
    .map(({ kind, lasting }) => `${counted(lasting, 'difference')} of kind ${kind} outlasted ${BETWEEN_MS / SECOND} s`);
}

function blockProblem(block: QueueBlock): string {
  return `${queueBlockWords(block)}: ${queueBlockFix(block)}`;
}

function passProblems(passes: ReadonlyMap<string, Date>, { clock }: Context): string[] {
  const now = clock.now();
  if (passes.size === 0) return ['no reconciler has ever made a pass: start a scheduler'];
  return [...passes]
    .filter(([, at]) => now.getTime() - at.getTime() > STALE_PASS_MS)
    .map(([name, at]) => `the last pass of the ${name} was ${fromNow(at, now)}: is a scheduler alive?`);
}

function awayProblem(away: EscapementError | undefined): string[] {
  return away ? [`the queue could not be looked at, only the ledger: ${away.message}`] : [];
}

interface Report {
  ok: boolean;
  problems: string[];
  drift: DriftRow[];
}

function print({ output }: Context, report: Report): void {
  output.table(report, report.drift, [
    { title: 'KIND', value: ({ kind }) => kind },
    { title: 'NOW', value: ({ found }) => String(found) },
    { title: 'LASTING', value: ({ lasting }) => String(lasting) },
    { title: 'EVER REPAIRED', value: ({ repaired }) => String(repaired) },
    { title: 'LAST REPAIRED', value: ({ repairedAt }) => (repairedAt ? inUtc(repairedAt) : '-') },
    { title: 'EXAMPLES', value: ({ examples }) => examples.join(', '), wraps: true },
  ]);
  if (output.format === 'json') return;
  for (const problem of report.problems) output.note(`BAD  ${problem}`);
  if (report.ok) output.note('queue and ledger are equal, but for what is under way');
}
