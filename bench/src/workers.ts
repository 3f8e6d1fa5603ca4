import { parseArgs } from 'node:util';
import { clearTables } from './fleet.ts';
import { roundTable, runsPerSecond } from './round-table.ts';
import { type Round, startPipeline } from './rounds.ts';
import { type BenchServers, startServers } from './servers.ts';
import { median } from './table.ts';
import type { Figures } from './targets.ts';

const RUNS = 5000;
const ROUNDS = 3;

/** `workers [RUNS] [--rounds N]`: the pipeline with two and with four processes of workers, beside one. */
export async function run(args: readonly string[]): Promise<Figures> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { rounds: { type: 'string' } },
  });
  const runs = Number(positionals[0] ?? RUNS);
  const rounds = Number(values.rounds ?? ROUNDS);
  const servers = await startServers();
  try {
    const one = await measure(servers, { workers: 1, runs, rounds });
    const two = await measure(servers, { workers: 2, runs, rounds });
    const four = await measure(servers, { workers: 4, runs, rounds });
    const table = roundTable([
      { name: 'one worker', rounds: one },
      { name: 'two workers', rounds: two },
      { name: 'four workers', rounds: four },
    ]);
    process.stdout.write(`\n${table}`);
    return { twoWorkers: median(two.map(runsPerSecond)) / median(one.map(runsPerSecond)) };
  } finally {
    await servers.stop();
  }
}

async function measure(
  servers: BenchServers,
  { workers, runs, rounds }: { workers: number; runs: number; rounds: number },
): Promise<Round[]> {
  await clearTables(servers);
  const pipeline = await startPipeline(servers, runs, { workers });
  const measured: Round[] = [];
  await pipeline.warmUp();
  for (let round = 0; round < rounds; round++) measured.push(await pipeline.round(runs));
  await pipeline.stop();
  return measured;
}
