import { defineTask, every, SECOND } from '@escapement/sdk';

export default defineTask({
  name: 'hello',
  description: 'Says when it was due and how late it began.',
  schedule: every(5 * SECOND),
  timeoutMs: 10 * SECOND,
  run(_payload, { run, log }) {
    const lateMs = run.startedAt.getTime() - run.scheduledFor.getTime();
    log.info('hello', { scheduledFor: run.scheduledFor, lateMs });
    return { lateMs };
  },
});
