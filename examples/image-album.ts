import { mkdir, open, rename } from 'node:fs/promises';
import path from 'node:path';
import { defineTask, HOUR } from '@escapement/sdk';
import { z } from 'zod';
import downloadImage from './download-image.ts';

export default defineTask({
  name: 'image-album',
  description:
    'Downloads the images of a list, four at a time, and writes them into an album in the order of the list.',
  payload: z.object({ list: z.url(), folder: z.string() }),
  key: 'image-album:{{payload.folder}}',
  timeoutMs: 6 * HOUR,
  retry: { maxAttempts: 3 },
  async run({ list, folder }, ctx) {
    await mkdir(folder, { recursive: true });
    const response = await fetch(list, { signal: ctx.signal });
    if (!response.ok) throw new Error(`${list} answered ${response.status}`);
    const urls = (await response.text()).split('\n').filter((line) => line !== '');
    // A retry of this run comes to the same downloads: none is made twice.
    const batch = await ctx.fanOut(
      downloadImage,
      urls.map((url) => ({ url, folder })),
      { order: 'start', concurrency: 4 },
    );
    const counts = { images: 0, missing: 0 };
    const album = path.join(folder, 'album.txt');
    const file = await open(`${album}.part`, 'w');
    try {
      for await (const { index, item, state, output, reason } of batch.results()) {
        if (state === 'succeeded') counts.images += 1;
        else counts.missing += 1;
        const found = output === null ? `missing: ${reason}` : `${output.bytes} bytes`;
        await file.write(`${index + 1}. ${path.basename(item.url)}, ${found}\n`);
        ctx.progress(index + 1, urls.length, 'images');
      }
    } finally {
      await file.close();
    }
    await rename(`${album}.part`, album);
    return counts;
  },
});
