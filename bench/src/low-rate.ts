import { parseArgs } from 'node:util';
import { clearTables } from './fleet.ts';
import { fleetLateness, LANES } from './fleet-lateness.ts';
import { graphileRate } from './graphile-rate.ts';
import { cpuUsPerRun, type NamedRounds, roundTable } from './round-table.ts';
import { type Round, startPipeline } from './rounds.ts';
import { type BenchServers, startServers } from './servers.ts';
import { median } from './table.ts';
import type { Figures } from './targets.ts';

const SECONDS = 20;
const RATE = 100;
const CONCURRENCY = 100;
const BURST = 5000;
const BURST_ROUNDS = 3;

/**
 * `low-rate [SECONDS] [--rate N]`: what a run costs where no two runs are due together, on each lane; beside a run in a burst, and beside a job
 * of graphile-worker that polls each 100 ms.
 */
export async function run(args: readonly string[]): Promise<Figures> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { rate: { type: 'string' } },
  });
  const [seconds, rate] = [Number(positionals[0] ?? SECONDS), Number(values.rate ?? RATE)];
  const servers = await startServers();
  try {
    const burst = await burstRounds(servers);
    const lanes: NamedRounds[] = [];
    for (const { lane, repeatableUpToMs } of LANES) {
      const { usage } = await fleetLateness(servers, { rate, seconds, repeatableUpToMs, concurrency: CONCURRENCY });
      lanes.push({ name: `${lane} jobs, ${rate}/s`, rounds: [usage] });
    }
    const graphile = {
      name: `graphile-worker, ${rate}/s`,
      rounds: [(await graphileRate(servers, { rate, seconds })).usage],
    };
    process.stdout.write(`\n${roundTable([{ name: 'in a burst', rounds: burst }, ...lanes, graphile])}`);
    const dearer = Math.max(...lanes.map(({ rounds }) => costOf(rounds)));
    return { rateOfBurst: dearer / costOf(burst), rateOfGraphile: dearer / costOf(graphile.rounds) };
  } finally {
    await servers.stop();
  }
}

function costOf(rounds: readonly Round[]): number {
  return median(rounds.map(cpuUsPerRun));
}

async function burstRounds(servers: BenchServers): Promise<Round[]> {
  const pipeline = await startPipeline(servers, BURST);
  await pipeline.warmUp();
  const rounds: Round[] = [];
  for (let round = 0; round < BURST_ROUNDS; round++) rounds.push(await pipeline.round(BURST));
  await pipeline.stop();
  await clearTables(servers);
  return rounds;
}
