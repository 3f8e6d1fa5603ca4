import { parseArgs } from 'node:util';
import { openDatabase } from '@escapement/store';
import { PATIENT } from './fleet.ts';
import { profiles } from './profile.ts';
import { cpuUsPerRun, roundTable } from './round-table.ts';
import { type Pipeline, type Round, startPipeline } from './rounds.ts';
import { startServers } from './servers.ts';
import { median } from './table.ts';
import type { Figures } from './targets.ts';

const RUNS = 2_000_000;
const ROUND_RUNS = 10_000;
/** So many rounds at the start are compared with so many at the end. */
const COMPARED = 3;
/** The share of rounds that is printed on the way. */
const PRINTED = 20;

/**
 * `long-snapshot [RUNS] [--profile DIR]`: so many runs while somebody holds a snapshot from before them, as a dump does for hours. Nothing
 * that dies meanwhile can be vacuumed away; autovacuum is on, as in life.
 */
export async function run(args: readonly string[]): Promise<Figures> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { profile: { type: 'string' } },
  });
  const profileDir = values.profile;
  const runs = Number(positionals[0] ?? RUNS);
  const roundRuns = Math.min(ROUND_RUNS, Math.ceil(runs / (2 * COMPARED)));
  const servers = await startServers({ nestedStatements: profileDir !== undefined });
  try {
    const pipeline = await startPipeline(servers, roundRuns, { profileDir });
    await pipeline.warmUp();
    const snapshot = await holdSnapshot(servers.databaseUrl);
    const before = await measure(pipeline, Math.round(runs / roundRuns) - COMPARED, roundRuns);
    const profiling = profileDir === undefined ? undefined : profiles(pipeline.fleet.db, profileDir);
    await profiling?.start();
    const end = await measure(pipeline, COMPARED, roundRuns, before.length);
    process.stdout.write((await profiling?.statements(COMPARED * roundRuns)) ?? '');
    await snapshot.release();
    await pipeline.stop();
    const start = before.slice(0, COMPARED);
    process.stdout.write(
      `\n${roundTable([
        { name: 'at the start', rounds: start },
        { name: 'at the end', rounds: end },
      ])}`,
    );
    return { longSnapshot: median(end.map(cpuUsPerRun)) / median(start.map(cpuUsPerRun)) };
  } finally {
    await servers.stop();
  }
}

async function measure(pipeline: Pipeline, rounds: number, roundRuns: number, earlier = 0): Promise<Round[]> {
  const measured: Round[] = [];
  for (let index = 0; index < rounds; index++) {
    const round = await pipeline.round(roundRuns, { vacuum: false });
    measured.push(round);
    if (index % Math.ceil(rounds / PRINTED) === 0)
      process.stdout.write(
        `after ${(earlier + index + 1) * roundRuns} runs: ${cpuUsPerRun(round).toFixed(0)} us a run\n`,
      );
  }
  return measured;
}

async function holdSnapshot(url: string): Promise<{ release(): Promise<void> }> {
  const db = openDatabase({ url, applicationName: 'bench snapshot', ...PATIENT });
  const link = await db.pool.connect();
  await link.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
  await link.query('SELECT count(*) FROM run');
  return {
    async release() {
      await link.query('COMMIT');
      link.release();
      await db.close();
    },
  };
}
