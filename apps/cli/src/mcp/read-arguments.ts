import { EscapementError, nearestKeyIn, refusals, refuseForbiddenKeys } from '@escapement/core';
import type { z } from 'zod';

/** The arguments of a call as they came, once they have been checked. Throws `bad_arguments` that names each value that is wrong. */
export function readArguments(schema: z.ZodObject, given: unknown): object {
  const args = given ?? {};
  refuseForbiddenKeys(args, 'the arguments');
  const parsed = schema.safeParse(args);
  if (parsed.success && typeof args === 'object') return args;
  const lines = refusals(parsed.error?.issues ?? [], args, {
    root: 'the arguments',
    nearestKey: (path, key) => nearestKeyIn(schema, path, key),
  });
  const known = Object.keys(schema.shape);
  throw new EscapementError('bad_arguments', lines.join('; '), {
    fix: known.length === 0 ? 'it takes no arguments' : `it takes ${known.join(', ')}`,
  });
}
