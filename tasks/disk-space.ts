import { statfs } from 'node:fs/promises';
import { cron, defineTask, FatalError } from '@escapement/sdk';
import { z } from 'zod';

export default defineTask({
  name: 'disk-space',
  description: 'Fails when a disk runs full. A trigger may bring another payload.',
  schedule: cron('*/20 * * * * *', 'UTC'),
  payload: z.object({ path: z.string(), minFreePercent: z.number().min(0).max(100) }),
  defaultPayload: { path: '.', minFreePercent: 1 },
  async run({ path, minFreePercent }, { log }) {
    const { bavail, blocks } = await statfs(path);
    const freePercent = Math.round((100 * bavail) / blocks);
    log.info('looked at the disk', { path, freePercent });
    if (freePercent < minFreePercent) throw new FatalError(`only ${freePercent} % of ${path} is free`);
    return { freePercent };
  },
});
