import type { QueryClient } from '@tanstack/react-query';
import { isAbout, type Resource } from '../keys.ts';

/** Reads anew what events have made stale. */
export interface Reader {
  readAnew(touched: readonly Resource[] | 'all'): void;
  /** Watches for answers from now on. Returns what ends it. */
  watch(): () => void;
}

export function createReader(queries: QueryClient): Reader {
  const cache = queries.getQueryCache();
  /** What was being read when an event came: the answer may be from before it. */
  const behind = new Set<string>();

  return {
    readAnew(touched) {
      const predicate = ({ queryKey }: { queryKey: readonly unknown[] }) => isAbout(queryKey, touched);
      for (const { queryHash } of cache.findAll({ predicate, fetchStatus: 'fetching' })) behind.add(queryHash);
      // What is on its way is not asked for twice at once.
      void queries.invalidateQueries({ predicate }, { cancelRefetch: false });
    },
    watch: () =>
      cache.subscribe((event) => {
        const { queryHash, queryKey } = event.query;
        if (event.type === 'removed') behind.delete(queryHash);
        if (event.type !== 'updated' || !isAnswer(event.action) || !behind.delete(queryHash)) return;
        queueMicrotask(() => void queries.invalidateQueries({ queryKey, exact: true }, { cancelRefetch: false }));
      }),
  };
}

function isAnswer(action: { type: string; manual?: boolean }): boolean {
  return action.type === 'error' || (action.type === 'success' && action.manual !== true);
}
