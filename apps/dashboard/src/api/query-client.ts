import { QueryClient } from '@tanstack/react-query';
import { isPassing } from './problem.ts';

const SECOND = 1000;
const TRIES = 3;
/** What could not be read is asked for again so often. */
const AGAIN_MS = 10 * SECOND;

/**
 * What was read stays on the screen while the API is away. It is read anew when events say so, and by time only where the last answer is missing:
 * the stream of events may hold while a single request has failed.
 */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 30 * SECOND,
        gcTime: 300 * SECOND,
        refetchOnWindowFocus: false,
        retry: (failures, error) => isPassing(error) && failures < TRIES,
        refetchInterval: ({ state }) => againAfter(state),
        retryDelay: (failures) => Math.min(SECOND * 2 ** failures, 8 * SECOND),
        // Our own server may be there where the browser thinks that there is no network.
        networkMode: 'always',
      },
      mutations: { networkMode: 'always' },
    },
  });
}

/** When a query asks again by itself, in milliseconds; false: not before an event, as its last answer has come, or is final. */
export function againAfter({ status, error }: { status: string; error: unknown }): number | false {
  return status === 'error' && isPassing(error) ? AGAIN_MS : false;
}
