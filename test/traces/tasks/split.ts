import { defineTask } from '@escapement/sdk';
import { z } from 'zod';
import item from './item.ts';

/** Fans out, and starts another task. Gives back the span that it continues. */
export default defineTask({
  name: 'split',
  payload: z.unknown(),
  async run(_payload, { fanOut, chain, run }) {
    await fanOut(item, [1, 2]);
    chain('call');
    return run.traceparent;
  },
});
