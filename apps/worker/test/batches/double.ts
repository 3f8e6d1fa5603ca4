import { defineTask } from '@escapement/sdk';
import { z } from 'zod';

export default defineTask({
  name: 'double',
  isolation: 'inline',
  payload: z.object({ n: z.int() }),
  async run({ n }) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    return { twice: 2 * n };
  },
});
