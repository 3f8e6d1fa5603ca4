import { parseArgs } from 'node:util';
import { SECOND, systemClock } from '@escapement/core';
import { fleetLateness, LANES, WARM_UP_MS } from './fleet-lateness.ts';
import { RAW_JOB, startRaw } from './raw-rounds.ts';
import { type NamedRounds, roundTable } from './round-table.ts';
import { type BenchServers, startServers } from './servers.ts';
import { figure, quantile, tableOf } from './table.ts';
import { countOf } from './tally.ts';
import type { Figures } from './targets.ts';
import { until } from './wait.ts';

const RATES = [100, 1000];
const SECONDS = 15;
const CONCURRENCY = 100;

interface Options {
  seconds: number;
  rates: readonly number[];
  lanes: typeof LANES;
  raw: boolean;
  profileDir: string | undefined;
}

/**
 * `lateness [SECONDS] [--rate N] [--lane delayed|repeatable] [--no-raw] [--profile DIR]`: how late runs start at a steady rate,
 * raw BullMQ's delayed jobs and both lanes of a fleet; and what a run costs each process at that rate.
 */
export async function run(args: readonly string[]): Promise<Figures> {
  const options = optionsOf(args);
  const { seconds, rates, lanes } = options;
  const servers = await startServers({ nestedStatements: options.profileDir !== undefined });
  const worst = new Map<number, number>();
  const rows = [['late by ms', 'due', 'not started', 'p50', 'p95', 'p99', 'max']];
  const rounds: NamedRounds[] = [];
  try {
    for (const rate of rates) {
      if (options.raw)
        rows.push(rowOf(`raw BullMQ, delayed jobs, ${rate}/s`, await rawDelayed(servers, rate, seconds)));
      for (const { lane, repeatableUpToMs } of lanes) {
        const name = `${lane} jobs, ${rate}/s`;
        const measured = await fleetLateness(servers, { ...options, rate, repeatableUpToMs, concurrency: CONCURRENCY });
        rows.push(rowOf(name, measured.lateness));
        rounds.push({ name, rounds: [measured.usage] });
        worst.set(rate, Math.max(worst.get(rate) ?? 0, quantile(measured.lateness, 0.99)));
        process.stdout.write(measured.profile);
      }
    }
  } finally {
    await servers.stop();
  }
  process.stdout.write(`\n${tableOf(rows)}\n${roundTable(rounds)}`);
  return { lateness100: worst.get(100) ?? Number.NaN, lateness1000: worst.get(1000) ?? Number.NaN };
}

function optionsOf(args: readonly string[]): Options {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      rate: { type: 'string' },
      lane: { type: 'string' },
      'no-raw': { type: 'boolean' },
      profile: { type: 'string' },
    },
  });
  const lanes = LANES.filter(({ lane }) => values.lane === undefined || lane === values.lane);
  if (lanes.length === 0)
    throw new Error(`--lane ${values.lane}: there are ${LANES.map(({ lane }) => lane).join(' and ')}`);
  return {
    seconds: Number(positionals[0] ?? SECONDS),
    rates: values.rate === undefined ? RATES : [Number(values.rate)],
    lanes,
    raw: values['no-raw'] !== true,
    profileDir: values.profile,
  };
}

function rowOf(name: string, lateness: readonly number[]): string[] {
  const unstarted = lateness.filter((ms) => ms === Number.POSITIVE_INFINITY).length;
  return [
    name,
    String(lateness.length),
    String(unstarted),
    ...[0.5, 0.95, 0.99, 1].map((share) => figure(quantile(lateness, share))),
  ];
}

async function rawDelayed(servers: BenchServers, rate: number, seconds: number): Promise<number[]> {
  const { queue, worker, stop } = await startRaw(servers, CONCURRENCY);
  const count = countOf([worker]);
  const startMs = systemClock.now().getTime() + SECOND;
  const warmUp = WARM_UP_MS / SECOND;
  for (let second = 0; second < seconds + warmUp; second++) {
    await queue.addBulk(
      Array.from({ length: rate }, (_, index) => {
        const dueMs = startMs + second * SECOND + Math.floor((index * SECOND) / rate);
        const delay = Math.max(0, dueMs - systemClock.now().getTime());
        return { name: 'run', data: { runId: second * rate + index, dueMs }, opts: { ...RAW_JOB, delay } };
      }),
    );
    if (second === warmUp) await until(startMs + WARM_UP_MS).then(count.record);
    // As a planner would: some seconds ahead, not all at once.
    await until(startMs + (second - 5) * SECOND);
  }
  await until(startMs + (seconds + warmUp + 1) * SECOND);
  const starts = await count.starts();
  await stop();
  return starts.map(([, latenessMs]) => latenessMs);
}
