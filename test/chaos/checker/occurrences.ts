import { groupedBy, MINUTE, SECOND } from '@escapement/core';
import type { Evidence, LedgerRun, LoadTask } from '../evidence.ts';
import { deadline } from './deadline.ts';
import { largest } from './extremes.ts';
import { at, type Invariant } from './invariant.ts';

/** An occurrence older than this must be in a row. */
const LEDGER_BOUND_MS = 10 * SECOND;

/** Rows that stand for occurrences: what people and chains start has its own instant, and superseded ones do not count. */
function occurrenceRows(evidence: Evidence): LedgerRun[] {
  return evidence.runs.filter(
    ({ origin, state }) => ['schedule', 'catch_up', 'backfill'].includes(origin) && state !== 'superseded',
  );
}

function covers(row: LedgerRun, ms: number): boolean {
  return row.scheduledForMs <= ms && ms <= (row.untilMs ?? row.scheduledForMs);
}

export const once: Invariant = {
  id: 'I1',
  title: 'at most one row per task and instant',
  check(evidence) {
    const rows = occurrenceRows(evidence);
    const violations: string[] = [];
    for (const [, own] of groupedBy(rows, (row) => row.task)) {
      const sorted = [...own].sort((a, b) => a.scheduledForMs - b.scheduledForMs);
      let before: LedgerRun | undefined;
      for (const row of sorted) {
        if (before && covers(before, row.scheduledForMs))
          violations.push(`${row.task} at ${at(row.scheduledForMs)}: run ${before.id} and run ${row.id}`);
        before = row;
      }
    }
    return { figures: `${rows.length} rows of ${evidence.tasks.length} tasks`, violations };
  },
};

export const noGap: Invariant = {
  id: 'I2',
  title: 'each occurrence is in a row, and each row is an occurrence',
  check(evidence) {
    const rows = groupedBy(occurrenceRows(evidence), (row) => row.task);
    const violations: string[] = [];
    let expected = 0;
    for (const task of evidence.tasks) {
      const own = rows.get(task.name) ?? [];
      // The instant of the save itself counts.
      const due = task.dueAt(task.effectiveMs - 1, plannedUntil(own, evidence));
      expected += due.length;
      for (const found of [gaps(task, due, own), phantoms(task, due, own)].flat()) violations.push(found);
    }
    return { figures: `${expected} occurrences expected`, violations };
  },
};

/** Up to the newest row there must be no gap whatever its age. */
function plannedUntil(rows: readonly LedgerRun[], { schedulersStopMs }: Evidence): number {
  return largest(
    schedulersStopMs - LEDGER_BOUND_MS,
    rows.map((row) => row.untilMs ?? row.scheduledForMs),
  );
}

function gaps(task: LoadTask, due: readonly number[], rows: readonly LedgerRun[]): string[] {
  return due.filter((ms) => !rows.some((row) => covers(row, ms))).map((ms) => `${task.name} at ${at(ms)}: no row`);
}

function phantoms(task: LoadTask, due: readonly number[], rows: readonly LedgerRun[]): string[] {
  return rows.flatMap((row) => {
    const standsFor = due.filter((ms) => covers(row, ms)).length;
    if (standsFor === row.occurrences && due.includes(row.scheduledForMs)) return [];
    return [`${task.name} at ${at(row.scheduledForMs)}: row ${row.id} says ${row.occurrences}, due were ${standsFor}`];
  });
}

/** Of all tasks of the load. */
const MISFIRE_MS = 1 * MINUTE;

export const noneMissed: Invariant = {
  id: 'I2b',
  title: 'no occurrence that should have run is missed',
  check(evidence) {
    const mayMiss = new Set(evidence.tasks.filter(({ endsAs }) => endsAs.includes('missed')).map(({ name }) => name));
    const missed = evidence.runs.filter(({ state, task }) => state === 'missed' && !mayMiss.has(task));
    // Only what a fault may hold up for longer than the threshold: so much due at once that it takes minutes.
    const wrong = missed.filter((row) => deadline(row.dueMs, evidence) <= row.dueMs + MISFIRE_MS);
    return {
      figures: `${missed.length} missed`,
      violations: wrong.map((row) => `${row.task} at ${at(row.scheduledForMs)}: ${row.reason}`),
    };
  },
};
