import * as z from 'zod/mini';

/** How tasks are sorted. Each has one direction, in which what is looked for comes first. */
export const SORTS = ['name', 'next', 'updated', 'state'] as const;

export type Sort = (typeof SORTS)[number];

export const ORDERS: Readonly<Record<Sort, 'asc' | 'desc'>> = {
  name: 'asc',
  next: 'asc',
  updated: 'desc',
  state: 'desc',
};

export const TASK_STATES = ['active', 'paused', 'finished', 'unplannable', 'never_fires'] as const;

/** What the address of the tasks has in it. What cannot be read is left out. */
export const tasksSearch = z.object({
  /** A part of the name. */
  name: z.catch(z.optional(z.string().check(z.maxLength(200))), undefined),
  state: z.catch(z.optional(z.enum(TASK_STATES)), undefined),
  pool: z.catch(z.optional(z.string()), undefined),
  /** Default: by name. */
  sort: z.catch(z.optional(z.enum(SORTS)), undefined),
});

export type TasksSearch = z.infer<typeof tasksSearch>;

/** What the API is asked with. */
export function queryOf({ name, state, pool, sort = 'name' }: TasksSearch) {
  return {
    ...(name ? { name: `*${name}*` } : {}),
    ...(state ? { state } : {}),
    ...(pool ? { pool } : {}),
    ...{ sort, order: ORDERS[sort] },
  };
}
