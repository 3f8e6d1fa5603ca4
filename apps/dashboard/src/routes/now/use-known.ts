import { type QueryClient, type QueryFunction, useQueries, useQuery } from '@tanstack/react-query';
import { get } from '../../api/get.ts';
import { isOfRedis, redisAwayQuery } from '../../api/redis-away.ts';
import { HOUR } from '../../time/durations.ts';
import { type Known, unreadOf } from './things.ts';

const counted = (query: string) => get('/v1/runs/counts', { query: { query } });
/** So often it is looked at again while Redis has a problem. */
const LOOK_MS = 15_000;
const FAILED = 'state:failed,timed_out,quarantined';

/** What the verdict is made of, and how many have failed. */
const ASKED = [
  get('/v1/fleet'),
  get('/v1/alerts', { query: { limit: 50 } }),
  redisAwayQuery,
  get('/v1/errors', { query: { since: '24h', state: 'open,back', limit: 20 } }),
  get('/v1/tasks', { query: { state: 'paused,unplannable', limit: 100 } }),
  get('/v1/tasks', { query: { state: 'never_fires', limit: 100 } }),
  get('/v1/runs/longest', { query: { stuck: 'true', limit: 20 } }),
  counted('state:missed,quarantined since:-24h'),
  counted(`${FAILED} since:-1h`),
  counted(`${FAILED} since:-169h until:-168h`),
] as const;

/** Begins to ask all that. */
export function askAhead(queries: QueryClient): void {
  for (const { queryKey, queryFn } of ASKED)
    void queries.prefetchQuery<unknown>({ queryKey, queryFn: queryFn as QueryFunction });
}

export interface NowState {
  /** Null: not all has been answered yet. */
  known: Known | null;
  failures: { lastHour: number; aWeekAgo: number } | null;
  /** Of the first that could not be read. */
  error: Error | null;
  retry: () => void;
}

/** All that the verdict is made of. */
export function useKnown(): NowState {
  const [fleet, alerts, away, errors, tasks, idle, stuck, day, hour, weekAgo] = useQueries({ queries: ASKED });
  const all = [fleet, alerts, away, errors, tasks, idle, stuck, day, hour, weekAgo];
  // It looks at all tasks, and takes seconds where no scheduler answers: it is asked once the rest is there, which is shown before.
  const doctor = useQuery({
    ...get('/v1/doctor'),
    staleTime: HOUR,
    // No event tells that a server is back.
    refetchInterval: ({ state: { data } }) => (data?.findings.some(isRedisProblem) ? LOOK_MS : false),
    enabled: all.every(({ isPending }) => !isPending),
  });
  const known =
    fleet.data && alerts.data && away.data && errors.data && tasks.data && idle.data && stuck.data && day.data
      ? {
          fleet: fleet.data,
          alerts: alerts.data.items,
          redisAway: away.data.items[0] ?? null,
          errors: errors.data.items,
          tasks: tasks.data.items,
          neverFire: { names: idle.data.items.map(({ name }) => name), more: idle.data.next !== null },
          stuck: stuck.data.items,
          findings: doctor.data?.findings ?? [],
          missed: day.data.states.missed?.count ?? 0,
          quarantined: day.data.states.quarantined?.count ?? 0,
          unread: unreadOf({ fleet: fleet.data, alerts: alerts.data, errors: errors.data, tasks: tasks.data }),
        }
      : null;
  return {
    known,
    failures:
      hour.data && weekAgo.data ? { lastHour: sum(hour.data.states), aWeekAgo: sum(weekAgo.data.states) } : null,
    error: all.find(({ data, error }) => error && !data)?.error ?? null,
    retry: () => {
      for (const query of all) if (query.error) void query.refetch();
    },
  };
}

function isRedisProblem(finding: Known['findings'][number]): boolean {
  return finding.level === 'problem' && isOfRedis(finding);
}

function sum(states: Readonly<Record<string, { count: number } | undefined>>): number {
  return Object.values(states).reduce((total, each) => total + (each?.count ?? 0), 0);
}
