import { nearest, type RuledHeartbeat } from '@escapement/core';
import { type Database, listHeartbeats, poolNames, type RuledTask, tasksForAlerts } from '@escapement/store';

/** What rules and routes may name. */
export interface KnownToAlerts {
  tasks: readonly RuledTask[];
  heartbeats: readonly RuledHeartbeat[];
  pools: readonly string[];
}

/** More are not asked. */
const MOST_HEARTBEATS = 100_000;

export async function knownToAlerts(db: Database): Promise<KnownToAlerts> {
  const [tasks, pools, heartbeats] = await Promise.all([tasksForAlerts(db), poolNames(db), ruledHeartbeats(db)]);
  return { tasks, pools, heartbeats };
}

/** All heartbeats, as rules look at them. */
export async function ruledHeartbeats(db: Database): Promise<RuledHeartbeat[]> {
  const heartbeats = await listHeartbeats(db, { limit: MOST_HEARTBEATS });
  return heartbeats.map(({ name, spec: { labels } }) => ({ name, labels }));
}

/** Says that there is no such thing, with the nearest; nothing where there is. */
export function notThere(what: string, name: string, names: readonly string[]): string[] {
  if (names.includes(name)) return [];
  const near = nearest(name, names);
  return [`there is no ${what} ${name}${near ? `; did you mean ${near}?` : ''}`];
}
