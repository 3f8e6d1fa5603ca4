import { setTimeout as wait } from 'node:timers/promises';
import { defineTask } from '@escapement/sdk';

/** Ten of them run beside each bad handler. */
export default defineTask({
  name: 'good-inline',
  isolation: 'inline',
  overlap: { policy: 'allow' },
  async run(_payload, { log }) {
    for (let step = 0; step < 10; step++) await wait(50);
    log.write('done\n');
  },
});
