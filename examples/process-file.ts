import { mkdir, readFile, rename } from 'node:fs/promises';
import path from 'node:path';
import { defineTask, MINUTE } from '@escapement/sdk';
import { z } from 'zod';

const booking = z.object({ account: z.string(), cents: z.int() });

export default defineTask({
  name: 'process-file',
  description: 'Adds up the bookings of a file, a line each, and puts the file aside.',
  payload: z.object({ folder: z.string(), file: z.string() }),
  timeoutMs: 5 * MINUTE,
  retry: { maxAttempts: 2, backoff: { kind: 'fixed', delayMs: 1000 } },
  async run({ folder, file }, ctx) {
    const done = path.join(folder, 'done');
    const lines = (await readWhereverItIs(folder, file)).split('\n').filter((line) => line !== '');
    const bookings = lines.map((line) => booking.parse(JSON.parse(line)));
    ctx.log.info('read', { file, bookings: bookings.length });
    await mkdir(done, { recursive: true });
    await rename(path.join(folder, file), path.join(done, file)).catch(ignoreMoved);
    return { bookings: bookings.length, cents: bookings.reduce((sum, { cents }) => sum + cents, 0) };
  },
});

/** An attempt that died after it had put the file aside is repeated: what it has to give back is in the file. */
async function readWhereverItIs(folder: string, file: string): Promise<string> {
  try {
    return await readFile(path.join(folder, file), 'utf8');
  } catch (error) {
    ignoreMoved(error);
    return await readFile(path.join(folder, 'done', file), 'utf8');
  }
}

function ignoreMoved(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
}
