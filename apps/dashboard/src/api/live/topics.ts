import type { Resource } from '../keys.ts';

/** Events of `GET /v1/events`, and what each makes stale. */
export const TOUCHED_BY = {
  runs: [
    'runs',
    'run',
    'tasks',
    'errors',
    'keys',
    'key',
    'pools',
    'batches',
    'backfills',
    'recovery',
    'workers',
    'fleet',
  ],
  actions: 'all',
  alerts: ['alerts', 'deliveries'],
  fleet: ['workers', 'schedulers', 'pools', 'doctor', 'fleet'],
  crontabs: ['shadow'],
  resync: 'all',
} as const satisfies Record<string, readonly Resource[] | 'all'>;

export type Topic = keyof typeof TOUCHED_BY;

export const TOPICS = Object.keys(TOUCHED_BY) as Topic[];

/** What several events together make stale. */
export function touchedBy(topics: ReadonlySet<Topic>): readonly Resource[] | 'all' {
  const touched = new Set<Resource>();
  for (const topic of topics) {
    const of: readonly Resource[] | 'all' = TOUCHED_BY[topic];
    if (of === 'all') return 'all';
    for (const resource of of) touched.add(resource);
  }
  return [...touched];
}
