import { useDebouncedValue } from '@mantine/hooks';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { components } from '../../api/generated/openapi.ts';
import { keyOf } from '../../api/keys.ts';
import { request } from '../../api/request.ts';

export type CrontabReport = components['schemas']['CrontabReport'];
export type CrontabLine = components['schemas']['CrontabLine'];

/** A crontab, and how it is to be read. */
export interface Crontab {
  text: string;
  name: string;
  system: boolean;
  timeZone: string;
  pool: string | null;
}

const TYPING_MS = 300;
const PATH = '/v1/import/crontab/plan';

export function bodyOf({ pool, ...crontab }: Crontab) {
  return { ...crontab, ...(pool === null ? {} : { pool }) };
}

export interface Previewed {
  query: UseQueryResult<CrontabReport>;
  /** It is of the crontab as it stands, not of one of a moment ago. */
  isCurrent: boolean;
}

/** What a crontab would become, computed by the server while one types. Nothing is written. */
export function useCrontabPreview(crontab: Crontab): Previewed {
  const [shown] = useDebouncedValue(crontab, TYPING_MS);
  const query = useQuery<CrontabReport>({
    queryKey: keyOf(PATH, { shown }),
    queryFn: ({ signal }) => request('post', PATH, { body: bodyOf(shown) }, { signal }),
    enabled: isGiven(shown),
    placeholderData: (before) => before,
  });
  return { query, isCurrent: shown === crontab && query.isSuccess && !query.isPlaceholderData };
}

export function isGiven({ text, name, timeZone }: Crontab): boolean {
  return text.trim() !== '' && name.trim() !== '' && timeZone !== '';
}
