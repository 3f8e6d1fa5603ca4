import { useDebouncedValue } from '@mantine/hooks';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { keyOf } from '../../api/keys.ts';
import { type Given, request } from '../../api/request.ts';
import type { CalendarEffect } from '../calendar/days.ts';
import type { Draft } from '../edit/draft.ts';

const TYPING_MS = 250;
const PATH = '/v1/calendars/preview';

export interface CalendarAsked {
  name: string;
  /** Undefined: what stands there is no JSON. */
  draft: Draft | undefined;
  year: number;
}

export interface CalendarPreviewed {
  query: UseQueryResult<CalendarEffect>;
  /** It is of the draft as it stands, not of one of a moment ago. */
  isCurrent: boolean;
}

/** What a draft would exclude, computed by the server while one types. Nothing is written. */
export function useCalendarPreview({ name, draft, year }: CalendarAsked): CalendarPreviewed {
  const [shown] = useDebouncedValue(draft, TYPING_MS);
  const [named] = useDebouncedValue(name, TYPING_MS);
  const query = useQuery<CalendarEffect>({
    queryKey: keyOf(PATH, { named, shown, year }),
    // Whether it is a calendar the server says, and what is wrong with it.
    queryFn: ({ signal }) =>
      request(
        'post',
        PATH,
        { body: { name: named, definition: shown, year } as Given<'post', typeof PATH>['body'] },
        { signal },
      ),
    enabled: shown !== undefined && named !== '',
    placeholderData: (before) => before,
  });
  return {
    query,
    isCurrent: shown === draft && named === name && query.isSuccess && !query.isPlaceholderData,
  };
}
