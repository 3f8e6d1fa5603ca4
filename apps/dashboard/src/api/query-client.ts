import { QueryClient } from '@tanstack/react-query';
import { isPassing } from './problem.ts';

const SECOND = 1000;
const TRIES = 3;

/** What was read stays on the screen while the API is away, and is read anew when events say so, not by time. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 30 * SECOND,
        gcTime: 300 * SECOND,
        refetchOnWindowFocus: false,
        retry: (failures, error) => isPassing(error) && failures < TRIES,
        retryDelay: (failures) => Math.min(SECOND * 2 ** failures, 8 * SECOND),
        // Our own server may be there where the browser thinks that there is no network.
        networkMode: 'always',
      },
      mutations: { networkMode: 'always' },
    },
  });
}
