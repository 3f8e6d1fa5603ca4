import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { defineTask, FatalError, SECOND } from '@escapement/sdk';
import { z } from 'zod';

export default defineTask({
  name: 'download-image',
  description: 'Downloads one image into a folder.',
  payload: z.object({ url: z.url(), folder: z.string() }),
  timeoutMs: 30 * SECOND,
  retry: { maxAttempts: 3, backoff: { kind: 'fixed', delayMs: 1 * SECOND } },
  async run({ url, folder }, ctx) {
    const response = await fetch(url, { signal: ctx.signal });
    // What is not there will not be there in a second.
    if (response.status === 404 || response.status === 410) throw new FatalError(`${url} is gone`);
    if (!response.ok) throw new Error(`${url} answered ${response.status}`);
    const image = new Uint8Array(await response.arrayBuffer());
    const file = path.basename(new URL(url).pathname);
    await writeFile(path.join(folder, file), image);
    return { file, bytes: image.length };
  },
});
