import { groupedBy, isLegalMove, isTerminal, type RunState } from '@escapement/core';
import type { Evidence, LedgerRun, LoadTask, Move } from '../evidence.ts';
import { deadline } from './deadline.ts';
import { largest } from './extremes.ts';
import { at, type Invariant } from './invariant.ts';

export const endedOnce: Invariant = {
  id: 'I4',
  title: 'a run ends once and never changes after; all moves are legal',
  check(evidence) {
    const violations: string[] = [];
    let ended = 0;
    const states = new Map(evidence.runs.map((run) => [run.id, run.state]));
    for (const [id, moves] of groupedBy(evidence.moves, (move) => move.runId)) {
      for (const found of moves.flatMap(illegal)) violations.push(found);
      ended += moves.filter(({ to }) => isTerminal(to)).length;
      const last = moves.at(-1)?.to;
      if (last !== states.get(id))
        violations.push(`run ${id}: its history ends ${last}, its row says ${states.get(id)}`);
    }
    return { figures: `${ended} runs ended, ${evidence.moves.length} moves`, violations };
  },
};

const REWRITABLE: readonly RunState[] = ['planned', 'queued', 'waiting', 'running'];

function illegal({ from, to, runId, atMs }: Move): string[] {
  if (from === null) return [];
  if (isTerminal(from)) return [`run ${runId}: ${from} -> ${to} at ${at(atMs)}, though it had ended`];
  // An edit rewrites a run that has not begun; one at work may be asked to stop, one in the wait queue be moved up.
  const rewritten = from === to && REWRITABLE.includes(to);
  return rewritten || isLegalMove(from, to) ? [] : [`run ${runId}: ${from} -> ${to} at ${at(atMs)}`];
}

export const endsAsItShould: Invariant = {
  id: 'I4b',
  title: 'each run that has run ended as its task does, for a reason',
  check(evidence) {
    const tasks = new Map(evidence.tasks.map((task) => [task.name, task]));
    const ran = evidence.runs.filter((run) => isTerminal(run.state) && run.attempt > 0);
    return { figures: countStates(evidence), violations: ran.flatMap((run) => wrongEnd(run, tasks.get(run.task))) };
  },
};

function wrongEnd(run: LedgerRun, task: LoadTask | undefined): string[] {
  if (!task) return [`run ${run.id} belongs to no task of the load`];
  if (task.endsAs.includes(run.state)) return [];
  return [`${run.task} run ${run.id}: ${run.state} after ${run.attempt} attempts, ${run.reason}`];
}

function countStates({ runs }: Evidence): string {
  return [...groupedBy(runs, (run) => run.state)].map(([state, own]) => `${own.length} ${state}`).join(', ');
}

export const boundedAttempts: Invariant = {
  id: 'I12',
  title: 'no run is tried more often than its policy says',
  check(evidence) {
    const tasks = new Map(evidence.tasks.map((task) => [task.name, task]));
    const counted = evidence.runs.map((run) => ({ run, tries: run.attempt - run.uncounted }));
    const violations = counted
      .filter(({ run, tries }) => tries > (tasks.get(run.task)?.maxAttempts ?? 0))
      .map(({ run, tries }) => `${run.task} run ${run.id}: ${tries} attempts that count`);
    const uncounted = evidence.runs.reduce((sum, run) => sum + run.uncounted, 0);
    const most = largest(
      0,
      evidence.runs.map((run) => run.attempt),
    );
    return { figures: `at most ${most} attempts; ${uncounted} cut off or lost, not counted`, violations };
  },
};

/**
 * After the graceful stop nothing is running, and what is open is not overdue: its time to start reached beyond the
 * stop, so that it is left to the next fleet.
 */
export const nothingLeft: Invariant = {
  id: 'I9',
  title: 'after the stop nothing runs, and what is open was not yet due',
  check(evidence) {
    const open = evidence.runs.filter((run) => !isTerminal(run.state));
    const lastMoves = new Map(evidence.moves.map((move) => [move.runId, move]));
    const due = open.filter((run) => {
      if (run.state === 'running') return true;
      // Whether those that wait for their key or for a person do so rightly others judge.
      if (run.state === 'waiting' || run.state === 'unknown') return false;
      const woken = lastMoves.get(run.id)?.from === 'waiting' ? (lastMoves.get(run.id)?.atMs ?? 0) : 0;
      return deadline(Math.max(run.dueMs, woken), evidence) < evidence.workersStopMs;
    });
    return {
      figures: `${open.length} open, for the next fleet`,
      violations: due.map((run) => `${run.task} run ${run.id}: still ${run.state}, due ${at(run.dueMs)}`),
    };
  },
};
