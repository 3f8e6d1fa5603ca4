import { defineTask } from '@escapement/sdk';
import { z } from 'zod';

/** Ten of them share the list; what each has done with an item it tells in the log. */
export default defineTask({
  name: 'take-all',
  overlap: 'allow',
  payload: z.unknown(),
  async run(_, ctx) {
    const taken: number[] = [];
    for (let item = await ctx.take('numbers'); item !== undefined; item = await ctx.take('numbers'))
      taken.push(z.int().parse(item));
    return taken;
  },
});
