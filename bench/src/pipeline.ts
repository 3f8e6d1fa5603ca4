import { parseArgs } from 'node:util';
import { profiles } from './profile.ts';
import { rawRounds } from './raw-rounds.ts';
import { cpuUsPerRun, roundTable, runsPerSecond } from './round-table.ts';
import { type Round, startPipeline } from './rounds.ts';
import { type BenchServers, startServers } from './servers.ts';
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
  profileDir: string | undefined;
}

/**
 * `pipeline [RUNS] [--rounds N] [--workers N] [--concurrency N] [--no-raw] [--profile DIR]`: raw BullMQ (add and a no-op
 * worker), then the whole pipeline (plan to release); what a run costs each process.
 */
export async function run(args: readonly string[]): Promise<Figures> {
  const options = optionsOf(args);
  const servers = await startServers({ nestedStatements: options.profileDir !== undefined });
  try {
    process.stdout.write(
      `${options.runs} runs a round, concurrency ${options.concurrency}; adder or scheduler, and worker: a process each\n\n`,
    );
    const raw = options.raw ? await rawRounds(servers, options) : [];
    const { whole, profile } = await pipelineRounds(servers, options);
    process.stdout.write(profile);
    return report(raw, whole);
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
      profile: { type: 'string' },
    },
  });
  return {
    runs: Number(positionals[0] ?? DEFAULT_RUNS),
    rounds: Number(values.rounds ?? DEFAULT_ROUNDS),
    workers: Number(values.workers ?? 1),
    concurrency: Number(values.concurrency ?? DEFAULT_CONCURRENCY),
    raw: values['no-raw'] !== true,
    profileDir: values.profile,
  };
}

/** The tasks have run before, as in a fleet that is up: workers know their definitions. */
async function pipelineRounds(servers: BenchServers, options: Options): Promise<{ whole: Round[]; profile: string }> {
  const pipeline = await startPipeline(servers, options.runs, options);
  const profiling = options.profileDir === undefined ? undefined : profiles(pipeline.fleet.db, options.profileDir);
  const whole: Round[] = [];
  let statements = '';
  try {
    await pipeline.warmUp();
    await profiling?.start();
    for (let round = 0; round < options.rounds; round++) whole.push(await pipeline.round(options.runs));
    statements = (await profiling?.statements(options.runs * options.rounds)) ?? '';
  } finally {
    await pipeline.stop();
  }
  const { workers, scheduler } = pipeline.fleet;
  const names = new Map([...workers.map(({ pid }): [number, string] => [pid, 'worker']), [scheduler.pid, 'scheduler']]);
  return { whole, profile: statements + ((await profiling?.functions(names)) ?? '') };
}

function report(raw: readonly Round[], whole: readonly Round[]): Figures {
  process.stdout.write(
    roundTable([
      { name: 'raw BullMQ', rounds: raw },
      { name: 'pipeline', rounds: whole },
    ]),
  );
  const pipelineCpu = median(whole.map(cpuUsPerRun));
  if (raw.length === 0) return { pipelineCpu };
  const ratio = (of: (round: Round) => number) => median(whole.map(of)) / median(raw.map(of));
  process.stdout.write(`CPU a run, x raw BullMQ: ${ratio(cpuUsPerRun).toFixed(2)}\n`);
  return { pipelineCpu, pipelineRatio: ratio(runsPerSecond) };
}
