import * as z from 'zod/mini';

/** What the address of a key has in it: which it is. */
export const keySearch = z.object({
  key: z.catch(z.optional(z.string().check(z.minLength(1), z.maxLength(512))), undefined),
});
