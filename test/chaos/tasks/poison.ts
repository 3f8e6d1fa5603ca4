import { defineTask } from '@escapement/sdk';

/** Takes down the worker that runs it. */
export default defineTask({
  name: 'poison',
  maxLost: 1,
  // In a process of its own it would take down that one only, and fail alone.
  isolation: 'inline',
  async run() {
    process.kill(process.pid, 'SIGKILL');
    await new Promise(() => undefined);
  },
});
