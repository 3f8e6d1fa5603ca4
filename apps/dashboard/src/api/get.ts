import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { paths } from './generated/openapi.ts';
import { keyOf } from './keys.ts';
import { type Answer, type Given, type PathFor, request } from './request.ts';

type Rest<T> = Record<never, never> extends T ? [given?: T] : [given: T];

/** A query of the API: `useQuery(get('/v1/runs/{id}', { path: { id } }))`. What it reads is its key. */
export function get<P extends PathFor<'get'>>(path: P, ...rest: Rest<Given<'get', P>>) {
  const given = (rest[0] ?? {}) as Given<'get', P>;
  return queryOptions<Answer<'get', P>>({
    queryKey: keyOf(path, given),
    queryFn: ({ signal }) => request('get', path, given, { signal }),
  });
}

/** Paths that answer a page, and where the next one begins. */
export type PagedPath = {
  [P in PathFor<'get'>]: Answer<'get', P> extends { items: readonly unknown[]; next: string | null } ? P : never;
}[PathFor<'get'>];

/** A list of the API, page after page: each `after` is the `next` of the page before. */
export function pages<P extends PagedPath & keyof paths>(path: P, ...rest: Rest<Given<'get', P>>) {
  const given = (rest[0] ?? {}) as Given<'get', P> & { query?: Record<string, unknown> };
  return infiniteQueryOptions({
    queryKey: [...keyOf(path, given), 'pages'] as const,
    queryFn: ({ signal, pageParam }) => {
      const query = { ...given.query, ...(pageParam === null ? {} : { after: pageParam }) };
      return request('get', path, { ...given, query } as Given<'get', P>, { signal });
    },
    initialPageParam: null as string | null,
    getNextPageParam: (last: Answer<'get', P>) => (last as { next: string | null }).next,
  });
}
