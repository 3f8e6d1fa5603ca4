import { type Clock, type Emit, SECOND } from '@escapement/core';
import type { LeaseCounts } from '@escapement/queue';
import { systemTimer, type Timer } from '@escapement/service';
import type { FleetFigures } from '@escapement/store';
import { countEvents } from './event-metrics.ts';
import { fleetGauges } from './fleet-gauges.ts';
import { createRegistry, type MetricsRegistry } from './registry.ts';
import { boundedTaskLabel } from './task-label.ts';

/** What a process measures of itself, for `/metrics`. */
export interface Metrics {
  /** Counts what the process tells of itself. */
  count: Emit;
  /** From now on these are asked when somebody reads the metrics. */
  watch(sources: MetricsSources): void;
  contentType: string;
  /** What the sources say is at most 2 s old. One that fails, or that does not answer within 2 s, is left as it was. */
  text(): Promise<string>;
}

export interface MetricsOptions {
  role: string;
  version: string;
  /** How many tasks have a label of their own; 0: none. */
  tasks: number;
  clock: Clock;
  /** Told of a source that failed. */
  onError: (error: unknown) => void;
  timer?: Timer;
}

/** Asked when somebody reads the metrics. */
export interface MetricsSources {
  /** Of the whole fleet. Left out by processes that do not speak for it. */
  fleet?: (() => Promise<FleetFigures>) | undefined;
  /** By name, a question to each server that the process uses. */
  servers?: Readonly<Record<string, () => Promise<unknown>>>;
  /** Runs that a worker holds, and how many it takes at once. */
  places?: (() => Places) | undefined;
  /** Leases of keys that a worker holds, and those that it has lost since its start. */
  leases?: (() => LeaseCounts) | undefined;
  /** By how much its clock is ahead of Postgres', in milliseconds; null: it is not known. */
  clockOffsetMs?: () => number | null;
}

export interface Places {
  held: number;
  most: number;
}

const FRESH_MS = 2 * SECOND;
const ANSWER_MS = 2 * SECOND;

type Collector = () => Promise<void>;

export function createMetrics(options: MetricsOptions): Metrics {
  const { role, version, tasks, clock, onError, timer = systemTimer } = options;
  const registry = createRegistry();
  registry
    .gauge('build_info', 'Always 1: version of the program, its role, and the Node.js that runs it.', [
      'version',
      'role',
      'node',
    ])
    .set({ version, role, node: process.version }, 1);
  const servers = serverGauges(registry, clock);
  const collectors: Collector[] = [];
  let collected = Promise.resolve();
  let collectedMs = Number.NEGATIVE_INFINITY;

  function collect(): Promise<void> {
    if (clock.monotonicMs() - collectedMs < FRESH_MS) return collected;
    collectedMs = clock.monotonicMs();
    const all = collectors.map((each) => each().catch(onError));
    collected = within(ANSWER_MS, Promise.all(all), timer);
    return collected;
  }

  return {
    count: countEvents(registry, boundedTaskLabel(tasks)),
    watch(sources) {
      for (const [server, ask] of Object.entries(sources.servers ?? {})) collectors.push(() => servers(server, ask));
      if (sources.fleet) collectors.push(fleetCollector(registry, sources.fleet));
      if (sources.places) collectors.push(placesCollector(registry, sources.places));
      if (sources.leases) collectors.push(leasesCollector(registry, sources.leases));
      if (sources.clockOffsetMs) collectors.push(clockCollector(registry, sources.clockOffsetMs));
    },
    contentType: registry.contentType,
    async text() {
      await collect();
      return await registry.text();
    },
  };
}

/** Resolves when it is done, or after the time. */
function within(ms: number, work: Promise<unknown>, timer: Timer): Promise<void> {
  return new Promise((resolve) => {
    const cancel = timer.after(ms, resolve);
    void work.then(() => {
      cancel();
      resolve();
    });
  });
}

function serverGauges(registry: MetricsRegistry, clock: Clock) {
  const up = registry.gauge('server_up', '1 if a server that the process uses has answered just now, else 0.', [
    'server',
  ]);
  const roundTrip = registry.gauge('server_round_trip_seconds', 'How long that answer took.', ['server']);
  return async (server: string, ask: () => Promise<unknown>): Promise<void> => {
    const startedMs = clock.monotonicMs();
    // Until it answers.
    up.set({ server }, 0);
    roundTrip.set({ server }, Number.NaN);
    await ask();
    up.set({ server }, 1);
    roundTrip.set({ server }, (clock.monotonicMs() - startedMs) / SECOND);
  };
}

function fleetCollector(registry: MetricsRegistry, read: () => Promise<FleetFigures>): Collector {
  const setGauges = fleetGauges(registry);
  return async () => setGauges(await read());
}

function placesCollector(registry: MetricsRegistry, read: () => Places): Collector {
  const held = registry.gauge('worker_runs_held', 'Runs that this worker holds.');
  const places = registry.gauge('worker_places', 'How many runs this worker takes at once in each of its pools.');
  return async () => {
    const now = read();
    held.set(now.held);
    places.set(now.most);
  };
}

function leasesCollector(registry: MetricsRegistry, read: () => LeaseCounts): Collector {
  const held = registry.gauge('leases_held', 'Leases of mutual-exclusion keys that this worker holds in Redis.');
  const lost = registry.counter('leases_lost_total', 'Leases that ended before they were given back.');
  let before = 0;
  return async () => {
    const now = read();
    held.set(now.held);
    lost.inc(now.lost - before);
    before = now.lost;
  };
}

function clockCollector(registry: MetricsRegistry, offsetMs: () => number | null): Collector {
  const offset = registry.gauge('clock_offset_seconds', "By how much the clock of this process is ahead of Postgres'.");
  return async () => offset.set((offsetMs() ?? Number.NaN) / SECOND);
}
