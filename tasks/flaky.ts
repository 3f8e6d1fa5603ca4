import { defineTask, every, SECOND } from '@escapement/sdk';

export default defineTask({
  name: 'flaky',
  description: 'Fails at the first attempt and succeeds at the second: see it with escapement runs list.',
  schedule: every(30 * SECOND),
  retry: { maxAttempts: 3, backoff: { kind: 'fixed', delayMs: 2 * SECOND } },
  run(_payload, { run, log }) {
    if (run.attempt === 1) throw new Error('the first attempt always fails');
    log.info('the second attempt works', { attempt: run.attempt });
  },
});
