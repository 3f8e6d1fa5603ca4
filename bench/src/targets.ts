import { figure, tableOf } from './table.ts';

/** What is asked of a figure: it must be at most `must`, or at least where more is better. */
export interface Target {
  benchmark: string;
  figure: string;
  must: number;
  goal: number;
  more?: true;
  digits?: number;
}

/** Durable servers, two cores with everything on them, one worker and one scheduler unless it says otherwise. */
export const TARGETS = {
  pipelineCpu: { benchmark: 'pipeline', figure: 'CPU us a run, all processes', must: 300, goal: 250 },
  pipelineRatio: {
    benchmark: 'pipeline',
    figure: 'runs/s, x raw BullMQ',
    must: 0.6,
    goal: 1,
    more: true,
    digits: 2,
  },
  pipelineReference: {
    benchmark: 'pipeline',
    figure: 'runs/s, x a pipeline written by hand',
    must: 1.3,
    goal: 2,
    more: true,
    digits: 2,
  },
  shapesCpu: {
    benchmark: 'shapes',
    figure: 'CPU us of Postgres a run in batches of 100, x a narrow open table',
    must: 1.8,
    goal: 1.3,
    digits: 2,
  },
  shapesWalFirst: { benchmark: 'shapes', figure: 'WAL B of a run after a checkpoint', must: 4000, goal: 2000 },
  shapesWal: { benchmark: 'shapes', figure: 'WAL B of a run later', must: 1500, goal: 1200 },
  rateOfBurst: {
    benchmark: 'low-rate',
    figure: 'CPU a run at 100/s, x in a burst, the dearer lane',
    must: 2.5,
    goal: 1.5,
    digits: 2,
  },
  rateOfGraphile: {
    benchmark: 'low-rate',
    figure: 'CPU a run at 100/s, x graphile-worker, the dearer lane',
    must: 5,
    goal: 2,
    digits: 2,
  },
  pressureCores: {
    benchmark: 'pressure',
    figure: 'cores of the clean phase at 250/s, the dearer lane',
    must: 0.5,
    goal: 0.25,
    digits: 2,
  },
  metricsRatio: {
    benchmark: 'pipeline',
    figure: 'CPU a run with metrics, x without',
    must: 1.02,
    goal: 1.01,
    digits: 3,
  },
  backlogRatio: { benchmark: 'backlog', figure: 'CPU a run at 20,000, x at 1,000', must: 1.1, goal: 1, digits: 2 },
  lateness100: { benchmark: 'lateness', figure: 'p99 ms at 100/s, the later lane', must: 8, goal: 5 },
  lateness1000: { benchmark: 'lateness', figure: 'p99 ms at 1,000/s, the later lane', must: 20, goal: 10 },
  burstTasks: { benchmark: 'burst', figure: 'last start s, 100,000 tasks at once', must: 30, goal: 15, digits: 1 },
  burstTask: { benchmark: 'burst', figure: 'last start s, 100,000 runs of a task', must: 30, goal: 15, digits: 1 },
  burstOthers: { benchmark: 'burst', figure: 'p99 ms of other tasks beside them', must: 250, goal: 250 },
  planner: { benchmark: 'planner', figure: 'occurrences/s, 1,000,000 tasks', must: 10_000, goal: 10_000, more: true },
  recovery: { benchmark: 'recovery', figure: 's after FLUSHALL, 100,000 open runs', must: 5, goal: 5, digits: 1 },
  handover: { benchmark: 'handover', figure: 'p99 ms', must: 10, goal: 10 },
  fanOut: { benchmark: 'fan-out', figure: 'items/s', must: 5000, goal: 5000, more: true },
  ordered1: { benchmark: 'ordered-starts', figure: 'starts/s at limit 1', must: 150, goal: 150, more: true },
  ordered10: { benchmark: 'ordered-starts', figure: 'starts/s at limit 10', must: 500, goal: 500, more: true },
  twoWorkers: {
    benchmark: 'workers',
    figure: 'runs/s of two, x one worker',
    must: 0.8,
    goal: 0.8,
    more: true,
    digits: 2,
  },
  idleCpu: { benchmark: 'idle', figure: '% of a core, whole fleet', must: 1.5, goal: 1.5, digits: 2 },
  idleRss: { benchmark: 'idle', figure: 'MB of the worker', must: 110, goal: 110 },
  alerts: { benchmark: 'alerts', figure: '% of a core, 100,000 tasks watched', must: 2, goal: 0.5, digits: 2 },
  ledgerSearch: { benchmark: 'ledger', figure: 'p95 ms of the slowest search', must: 50, goal: 50 },
  cli: { benchmark: 'cli', figure: 'p50 ms of the slowest command', must: 500, goal: 300 },
  apiLists: { benchmark: 'api', figure: 'p95 ms of lists and searches, 100/s', must: 50, goal: 50 },
  apiFleet: { benchmark: 'api', figure: 'lateness p99 beside them, x without', must: 1.2, goal: 1.1, digits: 2 },
  apiRunPage: { benchmark: 'api', figure: 'p95 ms of a run page', must: 20, goal: 20 },
  apiTrigger: { benchmark: 'api', figure: 'p95 ms of a trigger', must: 30, goal: 30 },
  apiWatchersRss: { benchmark: 'api', figure: 'MB with 1,000 clients of events', must: 300, goal: 200 },
  apiDelta: { benchmark: 'api', figure: 'p99 ms from an end to its event', must: 600, goal: 600 },
  apiIdle: { benchmark: 'api', figure: 'MB when idle', must: 120, goal: 110 },
  dashboardScript: { benchmark: 'dashboard', figure: 'kB of script of the first load, gzipped', must: 250, goal: 250 },
  dashboardUsable: {
    benchmark: 'dashboard',
    figure: 's until usable, processor 4x slower',
    must: 1.5,
    goal: 1.5,
    digits: 2,
  },
  dashboardInteraction: {
    benchmark: 'dashboard',
    figure: 'p95 ms of an interaction, beside 500 changes/s',
    must: 100,
    goal: 100,
  },
  dashboardLog: {
    benchmark: 'dashboard',
    figure: 'p95 ms of an interaction on a 10 MiB log, processor 4x slower',
    must: 100,
    goal: 100,
  },
  dashboardHeap: { benchmark: 'dashboard', figure: '% of growth of the heap', must: 10, goal: 10, digits: 1 },
  ledgerPrune: { benchmark: 'ledger', figure: 'prune of a week, x one of a tenth', must: 2, goal: 1.2, digits: 2 },
  rollUp: { benchmark: 'roll-up', figure: '% of what the runs cost, few an hour', must: 3, goal: 3, digits: 1 },
  forecast: { benchmark: 'forecast', figure: 's, 7 days of 100,000 tasks', must: 2, goal: 1, digits: 1 },
  longSnapshot: {
    benchmark: 'long-snapshot',
    figure: 'CPU a run at the end, x at the start',
    must: 1.5,
    goal: 1,
    digits: 2,
  },
} as const satisfies Record<string, Target>;

export type TargetName = keyof typeof TARGETS;

/** What a benchmark has measured of what is asked. */
export type Figures = Partial<Record<TargetName, number>>;

/** A line for each figure, in the order of the list. */
export function verdictTable(figures: Figures): string {
  const targets: [string, Target][] = Object.entries(TARGETS);
  const measured = new Map(Object.entries(figures));
  const lines = targets.flatMap(([name, target]) => {
    const value = measured.get(name);
    return value === undefined ? [] : [lineOf(target, value)];
  });
  return `\n${tableOf([['benchmark: figure', 'measured', 'must', 'goal', 'verdict'], ...lines])}`;
}

function lineOf(target: Target, value: number): string[] {
  const sign = target.more ? '>=' : '<=';
  const values = [value, target.must, target.goal].map((each) => figure(each, target.digits));
  const [measured = '', must = '', goal = ''] = values;
  return [
    `${target.benchmark}: ${target.figure}`,
    measured,
    `${sign} ${must}`,
    `${sign} ${goal}`,
    verdictOf(target, value),
  ];
}

function verdictOf({ must, goal, more }: Target, value: number): string {
  const meets = (bound: number) => (more ? value >= bound : value <= bound);
  if (meets(goal)) return 'goal';
  return meets(must) ? 'must' : 'MISSED';
}
