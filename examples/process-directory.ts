import { mkdir, readdir, rename } from 'node:fs/promises';
import path from 'node:path';
import { defineTask, every, HOUR, MINUTE, Skip } from '@escapement/sdk';
import { z } from 'zod';
import processFile from './process-file.ts';

export default defineTask({
  name: 'process-directory',
  description: 'Processes the files of a folder one after the other; a poison file does not hold up the others.',
  schedule: every(1 * MINUTE),
  payload: z.object({ folder: z.string() }),
  defaultPayload: { folder: '/tmp/escapement-bookings' },
  timeoutMs: 6 * HOUR,
  async run({ folder }, ctx) {
    const poison = path.join(folder, 'poison');
    await mkdir(poison, { recursive: true });
    const names = (await readdir(folder)).filter((name) => name.endsWith('.jsonl'));
    if (names.length === 0) throw new Skip(`there is no file in ${folder}`);
    // Oldest first, as their names have it. One after the other on the whole fleet, whichever workers take them.
    const batch = await ctx.fanOut(
      processFile,
      names.sort().map((file) => ({ folder, file })),
      { order: 'series', onError: 'continue' },
    );
    const result = { files: 0, poisoned: 0, cents: 0 };
    for await (const { item, output, reason } of batch.results()) {
      if (output !== null) {
        result.files += 1;
        result.cents += output.cents;
        continue;
      }
      result.poisoned += 1;
      ctx.log.error('put aside', { file: item.file, reason });
      await rename(path.join(folder, item.file), path.join(poison, item.file));
    }
    return result;
  },
});
