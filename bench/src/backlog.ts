import { parseArgs } from 'node:util';
import { cpuUsPerRun, roundTable } from './round-table.ts';
import { type Round, startPipeline } from './rounds.ts';
import { startServers } from './servers.ts';
import { median } from './table.ts';
import type { Figures } from './targets.ts';

const SMALL = 1000;
const LARGE = 20_000;
const ROUNDS = 3;
/** Small rounds for each large one: their figures vary more. */
const SMALL_ROUNDS = 3;

/** `backlog [RUNS] [--rounds N] [--empty]`: what a run costs when so many are due at once, beside 1,000. */
export async function run(args: readonly string[]): Promise<Figures> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { rounds: { type: 'string' }, empty: { type: 'boolean' } },
  });
  const runs = Number(positionals[0] ?? LARGE);
  const servers = await startServers();
  const small: Round[] = [];
  const large: Round[] = [];
  try {
    const pipeline = await startPipeline(servers, runs, { history: values.empty !== true });
    await pipeline.warmUp();
    for (let round = 0; round < Number(values.rounds ?? ROUNDS); round++) {
      for (let each = 0; each < SMALL_ROUNDS; each++) small.push(await pipeline.round(SMALL));
      large.push(await pipeline.round(runs));
    }
    await pipeline.stop();
  } finally {
    await servers.stop();
  }
  const table = roundTable([
    { name: `of ${SMALL}`, rounds: small },
    { name: `of ${runs}`, rounds: large },
  ]);
  process.stdout.write(`\n${table}`);
  return { backlogRatio: median(large.map(cpuUsPerRun)) / median(small.map(cpuUsPerRun)) };
}
