import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { isAbout } from './keys.ts';
import { isPassing, isSignedOut } from './problem.ts';

const SECOND = 1000;
const TRIES = 3;
/** What could not be read is asked for again so often. */
const AGAIN_MS = 10 * SECOND;

/**
 * What was read stays on the screen while the API is away. It is read anew when events say so, and by time only where the last answer is missing:
 * the stream of events may hold while a single request has failed.
 */
export function createQueryClient(): QueryClient {
  const isMe = (key: readonly unknown[]) => isAbout(key, ['me']);
  /** That nobody is signed in any more is known of `me`: it is asked again once anything else was refused so. */
  const lookWho = (error: unknown) => {
    if (!isSignedOut(error)) return;
    void queries.invalidateQueries({ predicate: ({ queryKey }) => isMe(queryKey) }, { cancelRefetch: false });
  };
  const queries = new QueryClient({
    queryCache: new QueryCache({ onError: (error, { queryKey }) => (isMe(queryKey) ? undefined : lookWho(error)) }),
    mutationCache: new MutationCache({ onError: lookWho }),
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
  return queries;
}

/** When a query asks again by itself, in milliseconds; false: not before an event, as its last answer has come, or is final. */
export function againAfter({ status, error }: { status: string; error: unknown }): number | false {
  return status === 'error' && isPassing(error) ? AGAIN_MS : false;
}
