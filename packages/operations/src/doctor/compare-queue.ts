import { setTimeout as delay } from 'node:timers/promises';
import {
  type By,
  type Clock,
  counted,
  EscapementError,
  type QueueBlock,
  queueBlockFix,
  queueBlockWords,
  SECOND,
  span,
} from '@escapement/core';
import { type Database, type DriftFound, readDrift, readPasses, readQueueBlocks } from '@escapement/store';
import { compareQueue, requireScheduler } from '../ask-fleet.ts';
import { lookAtLedger } from '../look-at-ledger.ts';
import { permitInNamespace } from '../rights/permit.ts';
import { type DriftRow, driftRows } from './drift.ts';

/** Between the two looks: a reconciler makes a pass each second. */
const BETWEEN_MS = 3 * SECOND;
/** After the lease time a lost run may be repaired this much later. */
const HEALING_MS = 5 * SECOND;
/** A reconciler that has not begun a pass for so long is none. */
const STALE_PASS_MS = 30 * SECOND;

export interface QueueExamination {
  ok: boolean;
  /** In words. */
  problems: string[];
  drift: DriftRow[];
  /** When each reconciler last began a pass. */
  passes: Record<string, Date>;
}

/**
 * Compares queue and ledger twice. Changes nothing. It is a problem if a difference outlasts a pass of the reconciler, none makes passes, or
 * Redis is away. Throws `not_allowed`.
 */
export async function examineQueue(
  db: Database,
  { clock, deadMs }: { clock: Clock; deadMs: number },
  by: By,
): Promise<QueueExamination> {
  await permitInNamespace(db, by, 'read', { action: 'look', subject: { request: 'compare_queue' }, what: 'the queue' });
  const first = await look(db, deadMs, by);
  await delay(BETWEEN_MS);
  // Who has not answered once is not waited for again.
  const second = first.away ? { found: await ledgerOf(db, deadMs), away: first.away } : await look(db, deadMs, by);
  const drift = driftRows(first.found, second.found, await readDrift(db));
  const passes = await readPasses(db);
  const problems = [
    ...(await readQueueBlocks(db)).map(blockProblem),
    ...problemsOf(drift),
    ...passProblems(passes, clock.now()),
    ...awayProblem(second.away),
  ];
  return { ok: problems.length === 0, problems, drift, passes: Object.fromEntries(passes) };
}

interface Looked {
  found: DriftFound[];
  /** Why the queue could not be looked at; undefined: it was. */
  away: EscapementError | undefined;
}

async function look(db: Database, deadMs: number, by: By): Promise<Looked> {
  const ledger = await ledgerOf(db, deadMs);
  try {
    await requireScheduler(db, deadMs);
    return { found: [...ledger, ...(await compareQueue(db, by))], away: undefined };
  } catch (error) {
    if (!(error instanceof EscapementError)) throw error;
    return { found: ledger, away: error };
  }
}

async function ledgerOf(db: Database, deadMs: number): Promise<DriftFound[]> {
  return await lookAtLedger(db, deadMs + HEALING_MS);
}

function problemsOf(drift: readonly DriftRow[]): string[] {
  return drift
    .filter(({ lasting }) => lasting > 0)
    .map(({ kind, lasting }) => `${counted(lasting, 'difference')} of kind ${kind} outlasted ${BETWEEN_MS / SECOND} s`);
}

function blockProblem(block: QueueBlock): string {
  return `${queueBlockWords(block)}: ${queueBlockFix(block)}`;
}

function passProblems(passes: ReadonlyMap<string, Date>, now: Date): string[] {
  if (passes.size === 0) return ['no reconciler has ever made a pass: start a scheduler'];
  return [...passes]
    .filter(([, at]) => now.getTime() - at.getTime() > STALE_PASS_MS)
    .map(
      ([name, at]) =>
        `the last pass of the ${name} was ${span(now.getTime() - at.getTime())} ago: is a scheduler alive?`,
    );
}

function awayProblem(away: EscapementError | undefined): string[] {
  return away ? [`the queue could not be looked at, only the ledger: ${away.message}`] : [];
}
