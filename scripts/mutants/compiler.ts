import path from 'node:path';
import { bin, run } from '../process.mjs';
import type { Mutant } from './mutant.ts';

/** Returns whether the package of a mutant's file compiles, as the copied tree stands. */
export function createCompiler(root: string): (mutant: Mutant) => Promise<boolean> {
  return async ({ file, isForeign }) => {
    if (isForeign || !file.endsWith('.ts')) return true;
    const folder = file.split('/').slice(0, 2).join('/');
    // What it remembers from mutant to mutant stands in the copied tree.
    const { code } = await run(bin('tsc'), ['-p', path.join(root, folder), '--noEmit'], { capture: true });
    return code === 0;
  };
}
