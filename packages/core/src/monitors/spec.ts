import { z } from 'zod';
import { DAY, HOUR, SECOND } from '../clock.ts';
import { labels } from '../rights/labels.ts';
import { scheduleSpec } from '../schedule/spec.ts';

/** What a monitor may be called: it stands in paths of the API. */
export const monitorName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, '1 to 100 letters, digits and ._- , starting with a letter or digit');

const span = z
  .int()
  .min(1 * SECOND)
  .max(366 * DAY);

/** What is expected of a job that runs elsewhere. */
export const monitorSpec = z.strictObject({
  /**
   * When the job is due. `fixed-delay` counts from the last ping; `cron`, `every` and `rrule` are the job's own schedule. Checked further by
   * `parseSchedule`.
   */
  schedule: scheduleSpec.superRefine((given, { addIssue }) => {
    if (given.kind === 'once' || given.kind === 'manual')
      addIssue({ code: 'custom', path: ['kind'], message: 'give cron, every, fixed-delay or rrule' });
    for (const part of ['jitterMs', 'maxRuns'] as const)
      if (given[part] !== undefined)
        addIssue({ code: 'custom', path: [part], message: 'leave it out: it delays or counts runs of our own' });
  }),
  /** A ping may come so much later than the job is due. Milliseconds. Default 1 h. */
  graceMs: span.default(1 * HOUR),
  /** A run may take so long, from its `start` to its end. Milliseconds. Default: `graceMs`. */
  maxRunMs: span.optional(),
  /** For rules, routes and silences of alerts. Default: none. */
  labels: labels.default({}),
});

export type MonitorInput = z.input<typeof monitorSpec>;
export type MonitorSpec = z.output<typeof monitorSpec>;
