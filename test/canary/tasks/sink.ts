import { defineTask } from '@escapement/sdk';
import { z } from 'zod';

/** Follows others, with what they hand on. */
export default defineTask({
  name: 'sink',
  payload: z.unknown(),
  overlap: 'allow',
  async run(payload) {
    return payload;
  },
});
