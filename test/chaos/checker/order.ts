import { groupedBy, isTerminal } from '@escapement/core';
import type { LedgerRun, Move } from '../evidence.ts';
import { isStart } from './fences.ts';
import { at, type Invariant } from './invariant.ts';

/** What is known of a run of a key whose runs begin in order. */
interface Waiter {
  run: LedgerRun;
  madeSeq: number;
  /** Its first start; undefined: it never began. */
  start: Move | undefined;
  /** When it was begun or ended, in the order of the ledger. */
  finishedSeq: number;
}

export const inOrder: Invariant = {
  id: 'I13',
  title: 'where a task asks for order, runs of a key begin in order of their due times',
  check({ tasks, runs, moves }) {
    const ordered = new Set(tasks.filter((task) => task.inOrder).map(({ name }) => name));
    const history = groupedBy(moves, ({ runId }) => runId);
    const lines = groupedBy(
      runs.filter(({ task }) => ordered.has(task)),
      ({ key }) => key,
    );
    const violations = [...lines].flatMap(([key, own]) =>
      overtakings(own.map((run) => waiterOf(run, history.get(run.id) ?? []))).map((how) => `${key}: ${how}`),
    );
    const waited = moves.filter(({ from, to }) => to === 'waiting' && from !== 'waiting').length;
    return { figures: `${lines.size} keys, ${waited} runs waited`, violations };
  },
};

function waiterOf(run: LedgerRun, moves: readonly Move[]): Waiter {
  const finished = moves.find((move) => isStart(move) || isTerminal(move.to));
  return {
    run,
    madeSeq: moves[0]?.seq ?? Number.POSITIVE_INFINITY,
    start: moves.find(isStart),
    finishedSeq: finished?.seq ?? Number.POSITIVE_INFINITY,
  };
}

/** A run that began while an earlier one, due and in the ledger, had not. */
function overtakings(waiters: readonly Waiter[]): string[] {
  return waiters.flatMap(({ run, start }) => {
    if (!start) return [];
    return waiters
      .filter((other) => isEarlier(other.run, run) && other.run.dueMs <= start.atMs)
      .filter(({ madeSeq, finishedSeq }) => madeSeq < start.seq && finishedSeq > start.seq)
      .map((other) => `run ${run.id} began at ${at(start.atMs)} before run ${other.run.id}`);
  });
}

function isEarlier(a: LedgerRun, b: LedgerRun): boolean {
  return a.scheduledForMs < b.scheduledForMs || (a.scheduledForMs === b.scheduledForMs && a.id < b.id);
}
