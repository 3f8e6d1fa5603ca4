import { useSuspenseQuery } from '@tanstack/react-query';
import type { components } from '../api/generated/openapi.ts';
import { get } from '../api/get.ts';

export type Me = components['schemas']['Me'];

export const meQuery = get('/v1/me');

/** Who is signed in. Below the route that has made sure of it. */
export function useMe(): Me {
  return useSuspenseQuery(meQuery).data;
}

/** Whether they may, somewhere. The API decides; this only says so before somebody tries. */
export function may({ grants }: Pick<Me, 'grants'>, right: string): boolean {
  return grants.some(({ allRights }) => allRights.includes(right));
}

export function useMay(right: string): boolean {
  return may(useMe(), right);
}

/** Whether they may what is about no one task, such as users: a grant for some tasks does not count there. */
export function useMayAll(right: string): boolean {
  const { grants } = useMe();
  return may({ grants: grants.filter(({ scope }) => scope === null) }, right);
}
