import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type Area, filesOf } from './areas.ts';
import { codeMutants } from './code-mutants.ts';
import type { Mutant } from './mutant.ts';
import { sqlMutants } from './text-mutants.ts';

/** All mutants of an area, in the order of its files. */
export function mutantsOf(root: string, area: Area): Mutant[] {
  return filesOf(root, area).flatMap((file) => {
    const source = readFileSync(path.join(root, file), 'utf8');
    const mutants = file.endsWith('.sql')
      ? sqlMutants(source).map((one) => ({ file, ...one }))
      : codeMutants(file, source);
    return mutants.sort((one, other) => one.start - other.start);
  });
}
