import * as z from 'zod/mini';

/** What the address of a work-list has in it. What cannot be read is left out. */
export const listSearch = z.object({
  /** Only items of whose JSON this is a part. Default: all. */
  contains: z.catch(z.optional(z.string().check(z.minLength(1), z.maxLength(200))), undefined),
});

export type ListSearch = z.infer<typeof listSearch>;
