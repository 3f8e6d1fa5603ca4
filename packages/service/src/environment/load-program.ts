import { setFlagsFromString } from 'node:v8';

/** How much the young generation of the heap grows by at a time. 2 is V8's own default. */
const growBy = (factor: number) => setFlagsFromString(`--semi-space-growth-factor=${factor}`);

/**
 * Loads the modules of a program that runs for long. What that leaves behind makes V8 give the young generation of the heap all
 * that it may have, some 30 MB, and it keeps it, though hardly anything is made while there is nothing to do. So the young generation does not
 * grow meanwhile; it does as soon as the work asks for it. V8 reads this flag each time, and a V8 without it would say so on standard error.
 */
export async function loadProgram<Program>(load: () => Promise<Program>): Promise<Program> {
  growBy(1);
  try {
    return await load();
  } finally {
    growBy(2);
  }
}
