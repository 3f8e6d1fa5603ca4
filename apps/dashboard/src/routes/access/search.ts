import * as z from 'zod/mini';

/** What the address of users and tokens has in it. What cannot be read is left out. */
export const accessSearch = z.object({
  /** A part of a name. */
  find: z.catch(z.optional(z.string().check(z.minLength(1), z.maxLength(200))), undefined),
  /** Also tokens that have ended. Default: those in use. */
  all: z.catch(z.optional(z.literal(true)), undefined),
});

export type AccessSearch = z.infer<typeof accessSearch>;

export function isCalled(name: string, find: string | undefined): boolean {
  return name.toLowerCase().includes((find ?? '').toLowerCase());
}
