import { type Emit, SECOND } from '@escapement/core';
import { createMetrics, type MetricsSources } from '@escapement/runtime';
import { type Database, fleetFigures, pingDatabase } from '@escapement/store';
import type { Child } from './children.ts';
import type { surroundings } from './surroundings.ts';

/** From benchmark to a process of its fleet. */
type Order = 'metrics on' | 'metrics off';

const NAMED_TASKS = 100;

/**
 * The metrics of a process, off until the benchmark says otherwise. While they are on they are read every second, more often than a
 * Prometheus would.
 */
export function switchedMetrics({ db, process: info, clock, onError }: ReturnType<typeof surroundings>): Emit {
  const metrics = createMetrics({ role: info.role, version: 'bench', tasks: NAMED_TASKS, clock, onError });
  metrics.watch(sourcesOf(info.role, db));
  let isOn = false;
  process.on('message', (order: Order) => {
    if (order === 'metrics on') isOn = true;
    if (order === 'metrics off') isOn = false;
  });
  setInterval(() => {
    if (isOn) void metrics.text().catch(onError);
  }, SECOND).unref();
  return (event) => {
    if (isOn) metrics.count(event);
  };
}

/** As far as they ask a server. */
function sourcesOf(role: 'scheduler' | 'worker', db: Database): MetricsSources {
  const servers = { postgres: () => pingDatabase(db) };
  return role === 'worker' ? { servers } : { servers, fleet: () => fleetFigures(db, { deadMs: 10 * SECOND }) };
}

/** Switches those of all processes. */
export function switchMetrics(fleet: { scheduler: Child; workers: readonly Child[] }, order: Order): void {
  for (const { process } of [fleet.scheduler, ...fleet.workers]) process.send(order);
}
