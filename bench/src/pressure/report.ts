import { SECOND } from '@escapement/core';
import { figure, tableOf } from '../table.ts';
import { CLEAN } from './phases.ts';
import { PROCESSES, totalUs } from './readings.ts';
import type { PhaseResult } from './run-phase.ts';

const SIZED_TABLES = 6;
const MEGABYTE = 2 ** 20;

/** Completion in a phase and after it, both as a share of the clean phase. */
export interface Completion {
  during: number;
  after: number;
}

/** NaN without a clean phase. */
export function completionOf(result: PhaseResult, all: readonly PhaseResult[]): Completion {
  const clean = all.find(({ phase }) => phase === CLEAN)?.runs.during ?? Number.NaN;
  return { during: result.runs.during / clean, after: result.runs.after / clean };
}

/** Cores that the fleet and its servers use. */
export function coresOf({ usage, seconds }: PhaseResult): number {
  return totalUs(usage.cpuUs) / (seconds * SECOND * 1000);
}

/** All tables of a lane. */
export function report(results: readonly PhaseResult[]): string {
  return [completionTable(results), costTable(results), sizeTable(results)].join('\n');
}

const COMPLETION = [
  ...['phase', 'offered %', 'during %', 'after %', 'late p50 ms', 'p99', 'after it p50', 'p99'],
  ...['drained s', 'due', 'no row', 'retried', 'no success'],
];

export function completionTable(results: readonly PhaseResult[]): string {
  return tableOf([COMPLETION, ...results.map((result) => completionCells(result, completionOf(result, results)))]);
}

function completionCells({ phase, offered, runs }: PhaseResult, { during, after }: Completion): string[] {
  const { late, lateAfter } = runs;
  return [
    phase.title,
    figure(100 * (phase.times ?? 1)),
    ...[during, after].map((share) => figure(100 * share, 1)),
    ...[late.p50, late.p99, lateAfter.p50, lateAfter.p99].map((ms) => figure(ms)),
    figure(runs.drainMs / SECOND, 1),
    ...[offered, offered - runs.rows, runs.retried, runs.unsuccessful].map(String),
  ];
}

const COST = [
  ...['a run', ...PROCESSES.map((name) => `${name} us`), 'WAL B', 'of it pages', 'commits'],
  ...['cores', 'other cores', 'dead rows', 'most of them in'],
];

/** Of what used processors and log, shared among the runs that succeeded in the phase. */
export function costTable(results: readonly PhaseResult[]): string {
  return tableOf([COST, ...results.map(costCells)]);
}

function costCells(result: PhaseResult): string[] {
  const { phase, usage, seconds, runs, dead } = result;
  const perRun = (value: number, digits?: number) => figure(value / (runs.during * seconds), digits);
  return [
    phase.title,
    ...PROCESSES.map((name) => perRun(usage.cpuUs[name])),
    ...[perRun(usage.walBytes), perRun(usage.fullPageBytes), perRun(usage.commits, 2)],
    figure(coresOf(result), 2),
    figure(Math.max(0, usage.othersUs) / (seconds * SECOND * 1000), 2),
    figure(dead.rows),
    dead.table,
  ];
}

/** The largest tables, at the end of each phase and its rest. */
export function sizeTable(results: readonly PhaseResult[]): string {
  const last = results.at(-1)?.sizes ?? new Map<string, number>();
  const tables = [...last].sort(([, one], [, other]) => other - one).slice(0, SIZED_TABLES);
  const names = tables.map(([name]) => name);
  const cells = ({ phase, sizes }: PhaseResult) => [
    phase.title,
    ...names.map((name) => figure((sizes.get(name) ?? Number.NaN) / MEGABYTE, 1)),
  ];
  return tableOf([['MB at the end', ...names], ...results.map(cells)]);
}
