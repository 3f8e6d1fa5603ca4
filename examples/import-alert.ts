import { defineTask } from '@escapement/sdk';
import { z } from 'zod';

export default defineTask({
  name: 'import-alert',
  description: 'Calls for help when an import has failed for good.',
  // The record of the run that failed, as every lifecycle task gets it.
  payload: z.object({
    id: z.string(),
    task: z.string(),
    state: z.string(),
    reason: z.string().nullable(),
    attempt: z.int(),
  }),
  retry: { maxAttempts: 5 },
  run({ id, task, state, reason, attempt }, ctx) {
    const subject = `${task} ${state} after ${attempt} attempts: ${reason ?? 'for no known reason'}`;
    ctx.log.warn('an alert would go out', { subject, run: id });
    return { subject };
  },
});
