import { useDebouncedValue } from '@mantine/hooks';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { components } from '../../api/generated/openapi.ts';
import { keyOf } from '../../api/keys.ts';
import { type Given, request } from '../../api/request.ts';
import { type Draft, editsOf, textAt } from './draft.ts';

export type TaskPreview = components['schemas']['TaskPreview'];
export type TaskDescription = components['schemas']['TaskDescription'];

/** A task that is there already, as it was when one began. */
export interface Base {
  id: string;
  name: string;
  definition: Draft;
  source: string;
  version: number;
}

export function baseOf({ id, name, definition, source, version }: TaskDescription): Base {
  return { id, name, definition: { ...definition }, source, version };
}

const TYPING_MS = 250;
/** Fires pass. */
const LOOK_MS = 30_000;

export interface Previewed {
  query: UseQueryResult<TaskPreview>;
  /** It is of the draft as it stands, not of one of a moment ago. */
  isCurrent: boolean;
}

/** What a draft would do and change, computed by the server while one types. Nothing is written. */
export function usePreview(base: Base | null, draft: Draft | undefined): Previewed {
  const [shown] = useDebouncedValue(draft, TYPING_MS);
  const path = base ? '/v1/tasks/{id}/preview' : '/v1/preview';
  const query = useQuery<TaskPreview>({
    queryKey: keyOf(path, { id: base?.id, version: base?.version, shown }),
    queryFn: ({ signal }) => (base ? previewOf(base, shown ?? {}, signal) : previewOfNew(shown ?? {}, signal)),
    enabled: shown !== undefined && textAt(shown, 'name') !== '',
    placeholderData: (before) => before,
    refetchInterval: LOOK_MS,
    staleTime: LOOK_MS,
  });
  return { query, isCurrent: shown === draft && query.isSuccess && !query.isPlaceholderData };
}

function previewOf({ id, definition }: Base, draft: Draft, signal: AbortSignal): Promise<TaskPreview> {
  return request('post', '/v1/tasks/{id}/preview', { path: { id }, body: bodyOf(definition, draft) }, { signal });
}

function previewOfNew(draft: Draft, signal: AbortSignal): Promise<TaskPreview> {
  // Whether it is a definition the server says, and what is wrong with it.
  return request('post', '/v1/preview', { body: draft as Given<'post', '/v1/preview'>['body'] }, { signal });
}

/** A list of edits is never empty. */
export function bodyOf(definition: Draft, draft: Draft): NonNullable<Given<'patch', '/v1/tasks/{id}'>['body']> {
  const edits = editsOf(definition, draft);
  return edits.length === 0 ? {} : edits;
}
