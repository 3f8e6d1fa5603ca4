import type { components } from '../../../api/generated/openapi.ts';
import type { Given } from '../../../api/request.ts';
import { DAY } from '../../../time/durations.ts';

type Body = Given<'post', '/v1/tasks/{id}/what-if'>['body'];

export type Policy = NonNullable<components['schemas']['TaskDescription']['definition']['overlap']>['policy'];

/** So many days back. */
export const OVERS = ['7', '30', '90'] as const;
export type Over = (typeof OVERS)[number];

/** What is asked; what is empty stays as it is. */
export interface Asked {
  expression: string;
  policy: Policy | null;
  limit: number | string;
  over: Over;
}

export const NOTHING_ASKED: Asked = { expression: '', policy: null, limit: '', over: '30' };

/** As the API takes it; null: nothing would be another way. */
export function bodyOf({ expression, policy, limit, over }: Asked, timeZone: string): Body | null {
  const changes = {
    ...(expression.trim() === '' ? {} : { expression: expression.trim() }),
    // With the options that it has by default.
    ...(policy === null ? {} : { overlap: { policy } }),
    ...(typeof limit === 'number' ? { limit } : {}),
  };
  if (Object.keys(changes).length === 0) return null;
  return { ...changes, overMs: Number(over) * DAY, timeZone };
}
