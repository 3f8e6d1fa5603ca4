import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** This program's version, as its package.json says. */
export const VERSION: string = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))).version;
