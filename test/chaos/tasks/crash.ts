import { defineTask } from '@escapement/sdk';

/** Takes down the process that was made for it, and nobody else. */
export default defineTask({
  name: 'crash',
  async run() {
    process.kill(process.pid, 'SIGKILL');
    await new Promise(() => undefined);
  },
});
