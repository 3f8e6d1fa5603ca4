import { useQuery } from '@tanstack/react-query';
import type { components } from '../api/generated/openapi.ts';
import { keyOf } from '../api/keys.ts';
import { request } from '../api/request.ts';

/** To how many runs an act would be done now. Nothing is done. */
export function useDryCount(action: components['schemas']['BulkAction']) {
  return useQuery({
    queryKey: keyOf('/v1/bulk/preview', action),
    queryFn: ({ signal }) => request('post', '/v1/bulk/preview', { body: action }, { signal }),
    placeholderData: (before) => before,
    // What is counted now is what one decides about.
    staleTime: 0,
    gcTime: 0,
  });
}
