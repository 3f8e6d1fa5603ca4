import { defineTask } from '@escapement/sdk';
import { z } from 'zod';

/** One of several. */
export default defineTask({
  name: 'item',
  payload: z.number(),
  overlap: 'allow',
  async run(payload, { run }) {
    return { payload, traceparent: run.traceparent };
  },
});
