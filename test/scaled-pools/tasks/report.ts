import { defineTask } from '@escapement/sdk';
import { z } from 'zod';

/** A task in code of a pool that has no worker most of the time. */
export default defineTask({
  name: 'report',
  pool: 'reports',
  payload: z.number(),
  overlap: 'allow',
  async run(payload) {
    return payload;
  },
});
