import { nearest } from '@escapement/core';
import type { RuledMonitor } from '@escapement/core/alerts';
import { type Database, listMonitors, poolNames, type RuledTask, tasksForAlerts } from '@escapement/store';

/** What rules and routes may name. */
export interface KnownToAlerts {
  tasks: readonly RuledTask[];
  monitors: readonly RuledMonitor[];
  pools: readonly string[];
}

/** More are not asked. */
const MOST_MONITORS = 100_000;

export async function knownToAlerts(db: Database): Promise<KnownToAlerts> {
  const [tasks, pools, monitors] = await Promise.all([tasksForAlerts(db), poolNames(db), ruledMonitors(db)]);
  return { tasks, pools, monitors };
}

/** All monitors, as rules look at them. */
export async function ruledMonitors(db: Database): Promise<RuledMonitor[]> {
  const monitors = await listMonitors(db, { limit: MOST_MONITORS });
  return monitors.map(({ name, spec: { labels } }) => ({ name, labels }));
}

/** Says that there is no such thing, with the nearest; nothing where there is. */
export function notThere(what: string, name: string, names: readonly string[]): string[] {
  if (names.includes(name)) return [];
  const near = nearest(name, names);
  return [`there is no ${what} ${name}${near ? `; did you mean ${near}?` : ''}`];
}
