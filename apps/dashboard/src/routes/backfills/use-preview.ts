import { useDebouncedValue } from '@mantine/hooks';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { components } from '../../api/generated/openapi.ts';
import { keyOf } from '../../api/keys.ts';
import { request } from '../../api/request.ts';
import { type BackfillBody, bodyOf, type Draft } from './draft.ts';

const TYPING_MS = 250;

export interface Previewed {
  query: UseQueryResult<components['schemas']['BackfillPreview']>;
  /** It is of the draft as it stands, not of one of a moment ago. */
  isCurrent: boolean;
}

/** What a backfill would run, asked while one types. Nothing is done. */
export function usePreview(draft: Draft): Previewed {
  const [shown] = useDebouncedValue(draft, TYPING_MS);
  const body = bodyOf(shown);
  const query = useQuery({
    queryKey: keyOf('/v1/backfills/preview', body),
    queryFn: ({ signal }) => request('post', '/v1/backfills/preview', { body: body as BackfillBody }, { signal }),
    enabled: body !== null,
    // What is counted now is what one decides about.
    staleTime: 0,
    gcTime: 0,
  });
  return { query, isCurrent: shown === draft && query.isSuccess };
}
