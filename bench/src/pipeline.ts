import { parseArgs } from 'node:util';
import { profiles } from './profile.ts';
import { rawRounds } from './raw-rounds.ts';
import { referenceRounds } from './reference-rounds.ts';
import { cpuUsPerRun, roundTable, runsPerSecond } from './round-table.ts';
import { type Round, startPipeline } from './rounds.ts';
import { type BenchServers, startServers } from './servers.ts';
import { switchMetrics } from './switched-metrics.ts';
import { median } from './table.ts';
import type { Figures } from './targets.ts';

const DEFAULT_RUNS = 5000;
const DEFAULT_ROUNDS = 3;
const DEFAULT_CONCURRENCY = 100;

interface Options {
  runs: number;
  rounds: number;
  workers: number;
  concurrency: number;
  raw: boolean;
  /** The ledger has 13 weeks of runs. */
  history: boolean;
  profileDir: string | undefined;
}

/**
 * `pipeline [RUNS] [--rounds N] [--workers N] [--concurrency N] [--no-raw] [--empty] [--profile DIR]`: raw BullMQ (add and a no-op
 * worker), a pipeline that was written by hand, then the whole pipeline (plan to release), each round without metrics and with them; what a
 * run costs each process. `--no-raw` leaves out the first two; with
 * `--empty` the ledger has no history.
 */
export async function run(args: readonly string[]): Promise<Figures> {
  const options = optionsOf(args);
  const servers = await startServers({ nestedStatements: options.profileDir !== undefined });
  try {
    process.stdout.write(
      `${options.runs} runs a round, concurrency ${options.concurrency}; adder or scheduler, and worker: a process each\n\n`,
    );
    const raw = options.raw ? await rawRounds(servers, options) : [];
    const reference = options.raw ? await referenceRounds(servers, options) : [];
    const { profile, ...rounds } = await pipelineRounds(servers, options);
    process.stdout.write(profile);
    return report({ raw, reference, ...rounds });
  } finally {
    await servers.stop();
  }
}

function optionsOf(args: readonly string[]): Options {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      rounds: { type: 'string' },
      workers: { type: 'string' },
      concurrency: { type: 'string' },
      'no-raw': { type: 'boolean' },
      empty: { type: 'boolean' },
      profile: { type: 'string' },
    },
  });
  return {
    runs: Number(positionals[0] ?? DEFAULT_RUNS),
    rounds: Number(values.rounds ?? DEFAULT_ROUNDS),
    workers: Number(values.workers ?? 1),
    concurrency: Number(values.concurrency ?? DEFAULT_CONCURRENCY),
    raw: values['no-raw'] !== true,
    history: values.empty !== true,
    profileDir: values.profile,
  };
}

interface PipelineRounds {
  whole: Round[];
  /** Each after the one of `whole`, with metrics switched on; none where a profile is taken. */
  counted: Round[];
  profile: string;
}

/** The tasks have run before, as in a fleet that is up: workers know their definitions. */
async function pipelineRounds(servers: BenchServers, options: Options): Promise<PipelineRounds> {
  const pipeline = await startPipeline(servers, options.runs, options);
  const profiling = options.profileDir === undefined ? undefined : profiles(pipeline.fleet.db, options.profileDir);
  const whole: Round[] = [];
  const counted: Round[] = [];
  let statements = '';
  try {
    await pipeline.warmUp();
    await profiling?.start();
    for (let round = 0; round < options.rounds; round++) {
      whole.push(await pipeline.round(options.runs));
      if (profiling) continue;
      switchMetrics(pipeline.fleet, 'metrics on');
      counted.push(await pipeline.round(options.runs));
      switchMetrics(pipeline.fleet, 'metrics off');
    }
    statements = (await profiling?.statements(options.runs * options.rounds)) ?? '';
  } finally {
    await pipeline.stop();
  }
  const { workers, scheduler } = pipeline.fleet;
  const names = new Map([...workers.map(({ pid }): [number, string] => [pid, 'worker']), [scheduler.pid, 'scheduler']]);
  return { whole, counted, profile: statements + ((await profiling?.functions(names)) ?? '') };
}

interface AllRounds extends Omit<PipelineRounds, 'profile'> {
  raw: Round[];
  reference: Round[];
}

function report({ raw, reference, whole, counted }: AllRounds): Figures {
  process.stdout.write(
    roundTable([
      { name: 'raw BullMQ', rounds: raw },
      { name: 'by hand', rounds: reference },
      { name: 'pipeline', rounds: whole },
      { name: 'with metrics', rounds: counted },
    ]),
  );
  const pipelineCpu = median(whole.map(cpuUsPerRun));
  const metricsRatio = ratioOfPairs(counted, whole);
  const figures: Figures = { pipelineCpu, ...(metricsRatio === undefined ? {} : { metricsRatio }) };
  if (metricsRatio !== undefined)
    process.stdout.write(`CPU a run with metrics, x without: ${metricsRatio.toFixed(3)}\n`);
  if (raw.length === 0) return figures;
  const ratio = (to: readonly Round[], of: (round: Round) => number) => median(whole.map(of)) / median(to.map(of));
  process.stdout.write(`CPU a run, x raw BullMQ: ${ratio(raw, cpuUsPerRun).toFixed(2)}\n`);
  process.stdout.write(`CPU a run, x by hand: ${ratio(reference, cpuUsPerRun).toFixed(2)}\n`);
  return {
    ...figures,
    pipelineRatio: ratio(raw, runsPerSecond),
    pipelineReference: ratio(reference, runsPerSecond),
  };
}

/** Of rounds that followed one another: what else a machine does changes more slowly. */
function ratioOfPairs(counted: readonly Round[], whole: readonly Round[]): number | undefined {
  if (counted.length === 0) return undefined;
  return median(counted.map((round, index) => cpuUsPerRun(round) / cpuUsPerRun(whole[index] ?? round)));
}
