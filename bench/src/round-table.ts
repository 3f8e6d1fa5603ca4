import { PARTS, type Usage } from './meter.ts';
import type { Round } from './rounds.ts';
import { figure, median, tableOf } from './table.ts';

/** Figures of rounds, each for one run. */
interface Column {
  title: string;
  of(round: Round): number;
  digits?: number;
}

const COLUMNS: readonly Column[] = [
  { title: 'runs/s', of: runsPerSecond },
  { title: 'CPU us', of: cpuUsPerRun },
  ...PARTS.map((part) => ({ title: part, of: perRun(({ cpuUs }) => cpuUs[part]) })),
  { title: 'WAL B', of: perRun(({ walBytes }) => walBytes) },
  { title: 'of it pages', of: perRun(({ fullPageBytes }) => fullPageBytes) },
  { title: 'commits', of: perRun(({ commits }) => commits), digits: 3 },
  { title: 'statements', of: perRun(({ statements }) => statements), digits: 3 },
  { title: 'scripts', of: perRun(({ scripts }) => scripts), digits: 2 },
  { title: 'commands', of: perRun(({ commands }) => commands), digits: 1 },
  { title: 'other cores', of: ({ tookMs, usage }) => Math.max(0, usage.othersUs / 1000 / tookMs), digits: 2 },
];

export function runsPerSecond({ runs, tookMs }: Round): number {
  return (runs * 1000) / tookMs;
}

/** Processor time of all processes of the fleet and of both servers. */
export function cpuUsPerRun({ runs, usage }: Round): number {
  return PARTS.reduce((sum, part) => sum + usage.cpuUs[part], 0) / runs;
}

function perRun(of: (usage: Usage) => number): (round: Round) => number {
  return ({ runs, usage }) => of(usage) / runs;
}

export interface NamedRounds {
  name: string;
  rounds: readonly Round[];
}

/** A line for each round, and the median of each column. */
export function roundTable(sides: readonly NamedRounds[]): string {
  const head = ['a run', ...COLUMNS.map(({ title }) => title)];
  return tableOf([head, ...sides.filter(({ rounds }) => rounds.length > 0).flatMap(linesOf)]);
}

function linesOf({ name, rounds }: NamedRounds): string[][] {
  const line = (title: string, of: (column: Column) => number) => [
    title,
    ...COLUMNS.map((column) => figure(of(column), column.digits)),
  ];
  return [
    ...rounds.map((round, index) => line(`${name} ${index + 1}`, (column) => column.of(round))),
    line(`${name}, median`, (column) => median(rounds.map(column.of))),
  ];
}
