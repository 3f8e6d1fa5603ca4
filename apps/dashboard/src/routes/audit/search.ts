import * as z from 'zod/mini';

const text = z.catch(z.optional(z.string().check(z.minLength(1), z.maxLength(200))), undefined);

/** What the address of the audit log has in it. What cannot be read is left out. */
export const auditSearch = z.object({
  /** The name or id of who did it. */
  principal: text,
  /** `task:NAME`, `run:ID`, `pool:NAME`. */
  subject: text,
  /** Only what was refused, or only what was done. */
  refused: z.catch(z.optional(z.enum(['true', 'false'])), undefined),
});

export type AuditSearch = z.infer<typeof auditSearch>;

/** What the API is asked with. */
export function queryOf({ principal, subject, refused }: AuditSearch) {
  return {
    ...(principal === undefined ? {} : { principal }),
    ...(subject === undefined ? {} : { subject }),
    ...(refused === undefined ? {} : { refused }),
  };
}
